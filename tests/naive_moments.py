"""The slow, obvious twin of moments: whole numbers of any size, without rounding."""

import numpy as np


def moments(rows):
    """Return mean and scatter about the mean of rows of whole numbers, each rounded once."""
    numbers = [[int(value) for value in row] for row in rows]
    n, width = len(numbers), len(numbers[0])
    sums = [sum(row[i] for row in numbers) for i in range(width)]
    mean = np.array([total / n for total in sums])  # Python rounds a quotient of ints once
    scatter = np.empty((width, width))
    for i in range(width):
        for j in range(width):
            products = sum(row[i] * row[j] for row in numbers)
            scatter[i, j] = (n * products - sums[i] * sums[j]) / n
    return mean, scatter
