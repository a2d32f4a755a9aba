"""
Where the ball is
=================

900 noisy pictures of a ball in a box. No method is told what a ball is: a row is a picture, a
column is a pixel. What in these 768 pixels can be predicted?
"""

# %%
# The film.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA

HEIGHT, WIDTH, N_PICTURES = 24, 32, 900
random = np.random.default_rng(1)
place, velocity = np.array([8.0, 10.0]), np.array([0.55, 0.85])
places, pictures = [], []
rows, columns = np.mgrid[:HEIGHT, :WIDTH]
for _ in range(N_PICTURES):
    is_ball = (rows - place[0]) ** 2 + (columns - place[1]) ** 2 < 3**2
    pictures.append((160.0 * is_ball + random.normal(60, 12, size=is_ball.shape)).ravel())
    places.append(place.copy())
    place += velocity
    velocity[(place < 3) | (place > np.array([HEIGHT, WIDTH]) - 4)] *= -1
X, places = np.array(pictures), np.array(places)

# %%
# Nearly all of the 768 directions are noise of single pixels, so the 30 of largest variance are
# kept. The first neighbours are searched among the slowest of them.
model = GPFA(n_components=3, n_lags=2, pca_components=30, init="sfa").fit(X)
features = model.transform(X)

# %%
# One picture, and each feature's pattern: how a picture changes when the feature grows. Then the
# features of all pictures, coloured by where the ball was.
figure, panels = plt.subplots(1, 5, figsize=(13, 2.6), layout="constrained")
panels[0].imshow(X[0].reshape(HEIGHT, WIDTH), cmap="gray")
panels[0].set_title("one picture")
for i, axes in enumerate(panels[1:4]):
    axes.imshow(model.patterns_[i].reshape(HEIGHT, WIDTH), cmap="RdBu_r")
    axes.set_title(f"pattern of feature {i + 1}")
for axes in panels[:4]:
    axes.set(xticks=[], yticks=[])
across = panels[4].scatter(*features[:, :2].T, c=places[:, 1], s=4, cmap="viridis")
panels[4].set(title="features", xlabel="feature 1", ylabel="feature 2", xticks=[], yticks=[])
figure.colorbar(across, ax=panels[4], label="ball's column")

products = [features[:, i] * features[:, j] for i in range(3) for j in range(i + 1)]
design = np.column_stack([features, *products, np.ones(len(X))])
left = places - design @ np.linalg.lstsq(design, places, rcond=None)[0]
print("share of the ball's row and column that the features tell:", end=" ")
print((1 - left.var(axis=0) / places.var(axis=0)).round(2))

# %%
# **What one learns:** the most predictable features of a film are where its things are, and a
# pattern shows what a feature looks at.
