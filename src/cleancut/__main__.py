"""``python -m cleancut``, and the program ``cleancut``."""

import os
import sys

from .core.interrupts import end_quietly_when_interrupted


def main() -> int:
    """Run the program. From here on an interruption ends it quietly, even while it is still importing."""
    end_quietly_when_interrupted()
    # numpy's linear algebra makes its threads when it is imported, which takes longer than all that is multiplied here
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
