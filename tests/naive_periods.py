"""Slow, obvious twin of the search for cycles. Only NumPy is imported.

One sequence without gaps, every frequency on a grid of eighths of a bin, every band; sums written
out, least squares by its own routine, the tail of F by adding up its density.
"""

import numpy as np


def power(y):
    """Return the power at 1, 2, … cycles, below Nyquist's frequency, one frequency at a time."""
    n = len(y)
    t = np.arange(n)
    return np.array(
        [2 / n * abs(sum(y * np.exp(-2j * np.pi * j * t / n))) ** 2 for j in range(1, (n + 1) // 2)]
    )


def tail_of_f(ratio, m, n):
    """Return P(F > ratio) for 2m and 2n degrees of freedom: a beta variable below n/(n + m·F)."""
    x = n / (n + m * ratio)
    u = (np.arange(4_000) + 0.5) / 4_000
    part = x * np.mean((x * u) ** (n - 1) * (1 - x * u) ** (m - 1))
    return part / np.mean(u ** (n - 1) * (1 - u) ** (m - 1))


def line_removed(y, frequency=None):
    """Return y without its straight line and, if asked for, without a wave of a frequency."""
    n = len(y)
    t = np.arange(n)
    columns = [np.ones(n), t]
    if frequency is not None:
        columns += [np.cos(2 * np.pi * frequency / n * t), np.sin(2 * np.pi * frequency / n * t)]
    matrix = np.array(columns).T
    return y - matrix @ np.linalg.lstsq(matrix, y, rcond=None)[0]


def room(n, frequency=None):
    """Return how much of each bin's wave is left when line and wave are taken off, of all of it."""
    t = np.arange(n)
    left = []
    for j in range(1, (n + 1) // 2):
        parts = [np.cos(2 * np.pi * j * t / n), np.sin(2 * np.pi * j * t / n)]
        left.append(sum(sum(line_removed(part, frequency) ** 2) for part in parts) / n)
    return np.array(left)


def share_of_level(place, n_bins, step=1):
    n_widths = 1
    while 2 ** (n_widths + 1) <= place:
        n_widths += 1
    return step / place / (np.log(n_bins / 3) + 1) / n_widths


def waves(y, level):
    """Return (frequency, power) of every wave on the grid that stands out from both sides."""
    y = line_removed(y)
    n_bins = len(power(y))
    found = []
    for eighth in range(8 * 3 - 4, 8 * n_bins):
        f = eighth / 8
        left = line_removed(y, f)
        strength = sum(y**2) - sum(left**2)
        low = [j for j in range(1, n_bins + 1) if j >= int(f / 4) and j < f]
        high = [j for j in range(1, n_bins + 1) if j > f and j + 1 < 2 * f]
        if not low or not high:
            continue
        around, rooms = power(left), room(len(y), f)
        chances = []
        for bins in (low, high):
            n_bins_left = sum(rooms[j - 1] for j in bins)
            mean = sum(around[j - 1] for j in bins) / n_bins_left
            chances.append(tail_of_f(strength / mean, 1, n_bins_left))
        if max(chances) <= level * share_of_level(f, n_bins):
            found.append((f, strength))
    return found


def humps(y, level):
    """Return (first bin, width) of every band that stands out from both sides."""
    spectrum, rooms = power(line_removed(y)), room(len(y))
    n_bins = len(spectrum)
    found = []
    width = 2
    while 2 * width <= n_bins:
        for first in range(3, n_bins - width, width // 2):
            centre = first + (width - 1) / 2
            low = [j for j in range(1, n_bins + 1) if int(centre / 4) <= j <= first - 2]
            high = [
                j for j in range(1, n_bins + 1) if first + width < j <= np.ceil(2 * centre) - width
            ]
            if centre < 2 * width or not low or not high:
                continue
            own = range(first, first + width)
            inside = sum(spectrum[j - 1] for j in own) / sum(rooms[j - 1] for j in own)
            chances = []
            for bins in (low, high):
                n_bins_left = sum(rooms[j - 1] for j in bins)
                mean = sum(spectrum[j - 1] for j in bins) / n_bins_left
                chances.append(tail_of_f(inside / mean, width, n_bins_left))
            if max(chances) <= level * share_of_level(centre, n_bins, width // 2):
                found.append((first, width))
        width *= 2
    return found


def slow_share(y):
    """Return the share of variance in half-cycle cosines of fewer than three cycles."""
    n = len(y)
    y = y - np.mean(y)
    slow = 0.0
    for k in range(1, 6):
        cosine = np.array([np.cos(np.pi * k * (t + 0.5) / n) for t in range(n)])
        slow += sum(y * cosine) ** 2 / sum(cosine**2)
    return slow / sum(y**2)


def comb_share(spectrum, place, width, variance):
    """Return the share of variance around a place and its multiples, beyond that between them."""
    n_bins = len(spectrum)
    total = 0.0
    for k in range(1, int(n_bins / place) + 1):
        half = max(k * width / 2, 1.0)
        own, around = [], []
        for j in range(1, n_bins + 1):
            if max(1, round(j / place)) != k:
                continue
            if abs(j - k * place) <= half:
                own.append(spectrum[j - 1])
            elif abs(j - k * place) <= place / 2:
                around.append(spectrum[j - 1])
        if k > 1 and len(own) > len(around):
            break
        background = sum(around) / len(around) if around else 0.0
        total += max(0.0, sum(own) - background * len(own))
    return total / variance
