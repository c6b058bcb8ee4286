# SPDX-License-Identifier: MIT
"""Structural similarity of two pictures.

Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment: from error visibility to structural similarity", 2004, with the
uniform window of 7 x 7 pixels: the mean over windows and channels, 1.0 for equal pictures.
"""

import numpy

WINDOW = 7
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def window_means(channel):
    """Mean of each window that lies inside the picture."""
    sums = numpy.zeros((channel.shape[0] + 1, channel.shape[1] + 1))
    sums[1:, 1:] = channel.cumsum(0).cumsum(1)
    n = WINDOW
    return (sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]) / (n * n)


def channel_similarity(a, b):
    mean_a, mean_b = window_means(a), window_means(b)
    variance_a = window_means(a * a) - mean_a ** 2
    variance_b = window_means(b * b) - mean_b ** 2
    covariance = window_means(a * b) - mean_a * mean_b
    likeness = (2 * mean_a * mean_b + C1) * (2 * covariance + C2)
    return (likeness / ((mean_a ** 2 + mean_b ** 2 + C1) * (variance_a + variance_b + C2))).mean()


def similarity(a, b):
    """Of two arrays height x width x 3 of bytes; 0.0 when their sizes differ."""
    if a.shape != b.shape or min(a.shape[:2]) < WINDOW:
        return 0.0
    return float(numpy.mean([channel_similarity(a[..., c].astype(float), b[..., c].astype(float)) for c in range(3)]))
