"""``python -m cleancut``, and the program ``cleancut``."""

import gc
import os
import sys

from .core.interrupts import end_quietly_when_interrupted


def main() -> int:
    """Run the program. From here on an interruption ends it quietly, even while it is still importing."""
    end_quietly_when_interrupted()
    # numpy's linear algebra makes its threads when it is imported, which takes longer than all that is multiplied here
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # what is imported stays until the end, so that looking for garbage in it, now and at the end, finds none
    gc.disable()
    from .cli import main as run

    gc.freeze()
    gc.enable()
    return run()


if __name__ == "__main__":
    sys.exit(main())
