"""The garbage collector of a process that serves: what it loaded stays, so it is not looked at again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = (10_000, 20, 20)
"""New objects between two looks at the young ones, and looks between those at the older ones."""


def settle() -> None:
    """Once a process has loaded what it keeps, such as the schemas: to look at it takes a third of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


@contextmanager
def paused() -> Iterator[None]:
    """While much is made that stays, such as a load of documents: to look for what does not costs as much."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
