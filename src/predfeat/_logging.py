"""Messages of `verbose` go to the logger "predfeat".

A program that has set up logging decides where they go; otherwise they are printed.
"""

from __future__ import annotations

import logging

__all__ = ["LOGGER", "tell"]

LOGGER = logging.getLogger("predfeat")


def tell(message: str, verbose: int) -> None:
    """Log a message: with `verbose` as visible information, otherwise for debugging only.

    With `verbose` it is visible even if no logging was set up.
    """
    if not verbose:
        LOGGER.debug(message)
        return
    if not LOGGER.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
        LOGGER.addHandler(handler)
    if LOGGER.getEffectiveLevel() > logging.INFO:
        LOGGER.setLevel(logging.INFO)
    LOGGER.info(message)
