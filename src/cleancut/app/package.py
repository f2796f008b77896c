"""The package that is served, to read on: its documentation, its code, and links to them."""

from __future__ import annotations

import os
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from io import BytesIO
from pathlib import Path

DOCUMENTATION, CODE = "documentation.txt", "code.zip"
"""Where the app itself has them."""
_HOME = Path(__file__).parents[1]


def project_links() -> dict[str, str]:
    """Return links to the documentation and the code: in the Space, where the package says, or here."""
    space = os.environ.get("SPACE_ID")
    if space:
        at = f"https://huggingface.co/spaces/{space}"
        return {"Documentation": f"{at}/blob/main/README.md", "Code": f"{at}/tree/main"}
    links = {"Documentation": DOCUMENTATION, "Code": CODE}
    try:
        named = metadata("cleancut").get_all("Project-URL") or ()
    except PackageNotFoundError:
        named = ()
    for line in named:
        name, _, url = line.partition(", ")
        links[name] = url
    return links


def package_readme() -> str:
    """Return the documentation that comes with the package, where it was installed."""
    try:
        return str(metadata("cleancut").json.get("description", ""))
    except PackageNotFoundError:
        return "cleancut is not installed here, so that its documentation is not known."


def package_zip() -> bytes:
    """Return the source files of the package, packed."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as held:
        for file in sorted(_HOME.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                held.write(file, Path("cleancut", file.relative_to(_HOME)))
    return packed.getvalue()
