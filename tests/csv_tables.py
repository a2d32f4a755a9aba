"""Tables that tests write: comma-separated, with a header."""

import numpy as np


def write_array(path, X, header, **options):
    """Write the rows of an array under a header, separated by commas."""
    np.savetxt(path, X, delimiter=",", header=header, comments="", **options)
    return path


def write_columns(path, header, *columns, delimiter=","):
    """Write columns of anything under a header, each cell as `str` shows it."""
    rows = [delimiter.join(map(str, row)) for row in zip(*columns, strict=True)]
    path.write_text(header + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path
