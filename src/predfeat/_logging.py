"""What `verbose` says goes to the logger "predfeat".

A program that has set up logging decides where it ends; elsewhere it is printed.
"""

from __future__ import annotations

import logging

__all__ = ["LOGGER", "tell"]

LOGGER = logging.getLogger("predfeat")


def tell(message: str, verbose: int) -> None:
    """Log a message: with `verbose` as information that is seen, otherwise for debugging only.

    Who asked for words sees them even where no logging was set up.
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
