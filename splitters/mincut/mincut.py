# /// script
# requires-python = ">=3.11"
# dependencies = ["cleancut==0.2.0.dev0"]
# ///
"""Split a dataset of the Hub clean and publish the split as a config: cleancut split, then cleancut publish.

uv run mincut.py org/name --to org/name-clean --ratios 80/10/10 --discard auto --push
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cleancut import cli
from cleancut.splitting.recipes import Recipe


def main(argv: Sequence[str] | None = None) -> int:
    """Run the two commands; nothing is uploaded without --push."""
    parser = argparse.ArgumentParser(
        prog="mincut.py",
        usage="%(prog)s [INPUT] --to ORG/NAME [--recipe FILE] [--config NAME] [--push] [options of cleancut split]",
        description=__doc__,
        epilog="All other options are those of cleancut split; see cleancut split --help.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--to", required=True, metavar="ORG/NAME", help="the dataset that gets the config")
    parser.add_argument("--recipe", metavar="FILE", help="a .toml file, or the name of a shipped recipe")
    parser.add_argument("--config", metavar="NAME", help="the config; default the recipe's, else mincut")
    for flag, what in {
        "--private": "create the dataset as a private one",
        "--indices-only": "publish where the rows stand in the source, not the rows",
        "--pr": "open a pull request",
        "--push": "upload; without it, only say what would be",
    }.items():
        parser.add_argument(flag, action="append_const", dest="flags", const=flag, default=[], help=what)
    given, split = parser.parse_known_args(argv)
    recipe = ["--recipe", given.recipe] if given.recipe else []
    with tempfile.TemporaryDirectory() as folder:
        if failed := cli.main(["split", *split, *recipe, "-o", folder]):
            return failed
        publish = Recipe.find(given.recipe).publish_options() if given.recipe else ["--config", "mincut"]
        publish += ["--config", given.config] if given.config else []
        return cli.main(["publish", str(Path(folder, "plan.json")), "--to", given.to, *publish, *given.flags])


if __name__ == "__main__":
    sys.exit(main())
