"""Serves the app with examples that are computed once a file is there: ``python late_examples.py FOLDER FILE``."""

import sys
import threading
import time
from pathlib import Path

from cleancut.app import examples, serving


def main(folder, gate):
    fill = examples.Shelf.fill

    def fill_later(shelf, home):
        def wait():
            while not gate.exists():
                time.sleep(0.05)
            fill(shelf, home)

        threading.Thread(target=wait, daemon=True).start()

    examples.Shelf.fill = fill_later
    serving.launch(folder)


if __name__ == "__main__":  # workers import this file
    main(Path(sys.argv[1]), Path(sys.argv[2]))
