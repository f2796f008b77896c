"""The documentation and the code of the package that is served, and links to them."""

from __future__ import annotations

import os
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from io import BytesIO
from pathlib import Path

DOCUMENTATION = "documentation.txt"
"""Where the app serves the documentation."""
CODE = "code.zip"
"""Where the app serves the code."""
_HOME = Path(__file__).parents[1]
"""The folder of the package."""


def project_links() -> dict[str, str]:
    """Return links to the documentation and the code: of the Space, of the project, or of the app itself."""
    space = os.environ.get("SPACE_ID")
    if space:
        url = f"https://huggingface.co/spaces/{space}"
        return {"Documentation": f"{url}/blob/main/README.md", "Code": f"{url}/tree/main"}
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
    """Return the documentation that was installed with the package."""
    try:
        return str(metadata("cleancut").json.get("description", ""))
    except PackageNotFoundError:
        return "cleancut is not installed here, so that its documentation is not known."


def package_zip() -> bytes:
    """Return the source files of the package as a zip archive."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(_HOME.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, Path("cleancut", file.relative_to(_HOME)))
    return packed.getvalue()
