"""Slow, obvious twin of the short-time spectra: one frame, one frequency at a time.

Only NumPy is imported: a twin that shared code with what it checks would share its mistakes.
"""

import numpy as np


def short_time_spectra(signal, frame, hop):
    """Return the complex spectra, one row per frame, frequencies 0 … frame // 2."""
    rows = []
    start = 0
    while start + frame <= len(signal):
        row = []
        for bin_ in range(frame // 2 + 1):
            total = 0.0 + 0.0j
            for j in range(frame):
                weight = np.sin(np.pi * (j + 0.5) / frame)
                angle = -2 * np.pi * bin_ * j / frame
                total += weight * signal[start + j] * complex(np.cos(angle), np.sin(angle))
            row.append(total)
        rows.append(row)
        start += hop
    return np.array(rows)
