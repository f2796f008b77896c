"""Takes the pictures of the app that its guide shows: ``python docs/make_pictures.py`` (extras: app, test)."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent / "images"
PORT = 7979
PICTURES = {
    "app-score": ("Score", "F1 and clean F1", "light", 1066),
    "app-split": ("Split", "No entity is shared", "dark", 1000),
}
"""A tab, what is to be seen before the picture is taken, the colours, and the height."""


def take(url: str, folder: Path) -> None:
    """All pictures, in 200 colours, which is plenty and keeps them small."""
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for name, (tab, text, colours, height) in PICTURES.items():
            page = browser.new_page(
                viewport={"width": 1280, "height": height}, color_scheme=colours, device_scale_factor=1.5
            )
            page.goto(url)
            page.get_by_role("tab", name=tab, exact=True).click()
            page.get_by_text(text).locator("visible=true").first.wait_for(timeout=120_000)
            page.mouse.move(640, 20)
            page.wait_for_timeout(1500)  # what fades in has come
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            picture = picture.quantize(200, Image.Quantize.MAXCOVERAGE)
            picture.save(folder / f"{name}.png", optimize=True)
        browser.close()


def main() -> None:
    server = subprocess.Popen([sys.executable, "-m", "cleancut", "app", "--no-open", "--port", str(PORT)])
    try:
        url = f"http://127.0.0.1:{PORT}/"
        for _ in range(240):
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                time.sleep(0.25)
        take(url, FOLDER)
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
