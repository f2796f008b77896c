"""The Space: all of it is in cleancut.app.serving."""

from pathlib import Path

from cleancut.app.serving import launch

if __name__ == "__main__":  # computations run in processes of their own, which import this file
    launch(Path(__file__).parent / "examples")
