"""
More rows than memory holds
===========================

A recording lies in a file, or in the chunks of a Dask array, and need not fit into memory. It is
read block by block, and the features are the same to the last bit as if it had been read at once.
For Dask, ``pip install "predfeat[distributed]"``.
"""

# %%
# 150 000 samples of ten channels, written to a file. `~predfeat.series.open_rows` opens it without
# reading it, and what it returns stands for X everywhere. It also takes a folder of files, with
# ``by_file=True`` if each is a sequence of its own.
import tempfile
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA, SFA
from predfeat.datasets import hidden_lorenz
from predfeat.series import open_rows

in_memory, hidden = hidden_lorenz(150_000, random_state=0)
folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # the file may be in use
file = Path(folder.name) / "years.npy"
np.save(file, in_memory)
rows = open_rows(file)
print(rows.shape)

# %%
# The same in memory, from the file, and from a Dask array of any chunks, without a cluster.
# (With one, its workers take the blocks: ``open_rows(path, client=client)``.)
lazy = da.from_array(np.load(file, mmap_mode="r"), chunks=(70_000, 10))
expected = SFA(3).fit(in_memory).components_
for name, source in (("the file", rows), ("the Dask array", lazy)):
    same = np.array_equal(SFA(3).fit(source).components_, expected)
    print(f"SFA of {name}: {'the same bits' if same else 'different'}")


# %%
# What so many rows are good for: how much of the hidden system the features do not tell, on the
# last 5000 rows, which none was fitted to.
def untold(model):
    """Return the share that no linear map of the features explains."""
    design = np.column_stack([model.transform(in_memory[-5000:]), np.ones(5000)])
    left = hidden[-5000:] - design @ np.linalg.lstsq(design, hidden[-5000:], rcond=None)[0]
    return left.var() / hidden[-5000:].var()


sizes = [1000, 3000, 10_000, 30_000, 145_000]
shares = [untold(SFA(3).fit(lazy[:size])) for size in sizes]

# %%
# GPFA asks for the neighbours of some of the samples, among all of them.
model = GPFA(n_components=3, n_lags=2, n_centers=200).fit(rows)
features = model.transform(in_memory[:4000])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.plot(features[:, 0], features[:, 1], lw=0.5)
left.set(title="GPFA of the file", xlabel="feature 1", ylabel="feature 2")
right.loglog(sizes, shares, "o-", ms=4)
right.set(title="SFA of the Dask array", xlabel="rows", ylabel="share of the system not told")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
folder.cleanup()

# %%
# **What one learns:** the length of a recording is no reason to thin it out. It costs time, but
# hardly memory, and where it is stored and how it is chunked changes no bit of the result.
