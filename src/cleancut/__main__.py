"""``python -m cleancut``."""

import sys

from .cli import main

sys.exit(main())
