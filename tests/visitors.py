"""People with a browser who visit the app, and what they do there."""

import time
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 240
"""Seconds that a visitor waits for anything: a machine may have much else to do. What comes at once costs nothing."""


class Windows:
    """Windows of a browser: visitors with the same options share one, and with it what it has fetched."""

    def __init__(self, browser):
        self._browser, self._by_options = browser, {}

    def page(self, **options):
        """A new page in the window with these options."""
        key = repr(sorted(options.items()))
        if key not in self._by_options:
            self._by_options[key] = self._browser.new_context(**options)
        return self._by_options[key].new_page()


@contextmanager
def visitors_of(windows, url):
    """A function that opens the app for a visitor; at the end, no page has asked other hosts or failed."""
    visitors = []

    def came(query="", sees_example=True, **options):
        visitors.append(Visitor(windows.page(**options), url, query, sees_example))
        return visitors[-1]

    yield came
    for visitor in visitors:
        visitor.leave()
        assert visitor.foreign == [], "the page asked other hosts"
        assert visitor.errors == []


class Visitor:
    """Someone with a browser; what the page asks of other hosts, and its errors, are kept."""

    def __init__(self, page, url, query, sees_example):
        self.page = page
        self.page.set_default_timeout(1000 * PATIENCE)
        self.foreign, self.errors = [], []
        self.page.on(
            "request", lambda r: None if r.url.startswith((url, "data:", "blob:")) else self.foreign.append(r.url)
        )
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url + query)
        if sees_example:
            self.shown("F1 and clean F1")

    def leave(self):
        """Close the page."""
        self.page.close()

    def open(self, tab):
        self.page.get_by_role("tab", name=tab, exact=True).click()

    def press(self, button):
        self.page.get_by_role("button", name=button, exact=True).click()

    def shown(self, text):
        """Wait until a text can be seen."""
        self.page.get_by_text(text).locator("visible=true").first.wait_for()

    def box(self, label):
        """The box of a label in the open tab."""
        return self.page.get_by_label(label, exact=True).locator("visible=true")

    def choose(self, example):
        """Choose an example in the first tab."""
        self.page.get_by_label("Fill in an example").click()
        self.page.get_by_role("option", name=example).click()

    def upload(self, label, *files):
        chosen = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files]
        with self.page.expect_file_chooser() as chooser:
            label.click()
        chooser.value.set_files(chosen)

    def saved(self, button):
        with self.page.expect_download() as download:
            self.press(button)
        return Path(download.value.path()).read_bytes()

    def tab(self, name):
        """Open a tab that computes, and wait for its example."""
        self.open(name)
        self.about("Example:")

    def about(self, text):
        """Wait until results say that they are about something; those of an example only where that is asked for."""
        shown = self.page.locator(".about:visible").filter(has_text=text)
        if not text.startswith("Example:"):
            shown = shown.filter(has_not_text="Example:")
        shown.first.wait_for()

    def result(self):
        """What the results say that they are about; nothing where there are none."""
        # its paragraphs alone: Gradio has a clock there, which nobody sees
        return " ".join(self.page.locator(".about:visible p").all_inner_texts()).strip()

    def add(self, *files):
        """Add files to the box of the open tab, by their paths or as names and texts."""
        with self.page.expect_file_chooser() as chooser:
            self.page.locator(".block button[aria-label*='pload']:visible").first.click()
        texts = [
            {"name": f[0], "mimeType": "text/plain", "buffer": f[1].encode()} for f in files if isinstance(f, tuple)
        ]
        chooser.value.set_files(texts or [str(file) for file in files])
        for file in files:
            name = file[0] if isinstance(file, tuple) else Path(file).name
            self.page.locator(f'.filename[aria-label="{name}"]:visible').first.wait_for()

    def said(self):
        """What stands beside the button."""
        return " ".join(self.page.locator("div.notice:visible :is(p, .doing)").all_inner_texts())

    def is_said(self, text):
        """Wait until something stands beside the button."""
        self.page.locator(".notice:visible").filter(has_text=text).first.wait_for()


def client(server):
    """A program that calls the app, and has the patience of a visitor."""
    from gradio_client import Client

    return Client(server.url, verbose=False, httpx_kwargs={"timeout": PATIENCE})


def workers(server):
    """Processes that compute for a server, by their ids: the children of the one that forks."""
    found = []
    for child in _children(server.pid):
        found += _children(child)
    return found


def left_folders(server):
    """Folders of work that a server has not deleted; while it works there are some."""
    return [path for path in server.folder.glob("tmp*") if path.is_dir()]


def _children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:  # it has ended meanwhile
        return []


def soon(holds, seconds=PATIENCE):
    """Does something hold before long?"""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return holds()
