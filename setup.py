"""Copies what the Hub sees into the wheel, so that `cleancut.metric()` finds it without a checkout."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HUB_FOLDERS = ("metrics", "splitters", "spaces_app")


class BuildWithHubFiles(build_py):
    """build_py, then the Hub's folders as cleancut/hub_files; an editable install reads the checkout instead."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        for name in HUB_FOLDERS:
            target = Path(self.build_lib) / "cleancut" / "hub_files" / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(name, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))


setup(cmdclass={"build_py": BuildWithHubFiles})
