"""A Hub on 127.0.0.1 for tests with the real clients: repositories in memory, one lock, faults on request.

    with Hub() as hub:
        subprocess.run(..., env=hub.environment(home))  # the clients read their settings when they are imported

It answers what huggingface_hub, datasets and evaluate ask while they create, fill, tag, list and read repositories.
``hub.fail(...)`` makes it refuse, limit or drop requests, so that what users see then can be tested.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import itertools
import json
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

KINDS = {"models": "model", "datasets": "dataset", "spaces": "space"}
TOKEN = "hf_a_token_that_must_never_be_shown"
DATE = "2026-01-01T00:00:00.000Z"


@dataclass
class Repo:
    """Files of each commit; branches and tags name commits."""

    private: bool = False
    gated: bool = False
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def add(self, branch: str, files: dict[str, bytes], title: str) -> str:
        oid = hashlib.sha1(os.urandom(20)).hexdigest()  # never twice: the clients cache by it
        self.commits[oid], self.titles[oid], self.heads[branch] = files, title, oid
        return oid

    def find(self, revision: str) -> str | None:
        name = revision.removeprefix("refs/heads/")
        oid = self.heads.get(name) or self.tags.get(name) or name
        return oid if oid in self.commits else None


HOW = ("drop", "html", "nothing", "truncated", "lost", "stall", "kill")
"""What may befall a request besides a status: the connection is closed, the page of a proxy comes back, nothing does,
half of the answer does, the answer is lost though the request was served, no answer comes for long, the client is
killed."""


@dataclass
class Fault:
    """What to do with requests whose line matches: a status, one of ``HOW``, None to close the connection.

    A function is called before the request is answered: something happens in between.
    """

    pattern: str
    status: int | str | Callable[[], object] | None
    times: float
    headers: dict[str, str]
    after: int = 0


class Hub:
    def __init__(self) -> None:
        self.repos: dict[tuple[str, str], Repo] = {}
        self.large: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.faults: list[Fault] = []
        self.kill: Callable[[], None] = lambda: None
        """Kills the client, for the fault of that name."""
        self.stall = 3.0
        """Seconds without an answer."""
        self.lock = threading.RLock()
        handler = type("Handler", (_Handler,), {"hub": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Hub:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def clear(self) -> None:
        """Forget all repositories, requests and faults."""
        with self.lock:
            for held in (self.repos, self.large, self.requests, self.faults):
                held.clear()

    def environment(self, home: object) -> dict[str, str]:
        """The settings under which the clients talk to this Hub and keep their files in ``home``."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        return {
            **kept, "HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1", "HF_UPDATE_DOWNLOAD_COUNTS": "0", "no_proxy": "127.0.0.1",
        }  # fmt: skip

    def put(self, kind: str, name: str, files: dict[str, str | bytes], branch: str = "main") -> str:
        """Fill a repository without a request."""
        with self.lock:
            repo = self.repos.setdefault((kind, name), Repo())
            base = repo.commits.get(repo.heads.get(branch, ""), {})
            fresh = {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}
            return repo.add(branch, {**base, **fresh}, "put")

    def files(self, kind: str, name: str, revision: str = "main") -> dict[str, bytes]:
        repo = self.repos[kind, name]
        return repo.commits[str(repo.find(revision))]

    def fail(
        self,
        pattern: str,
        status: int | str | Callable[[], object] | None,
        *,
        times: float = float("inf"),
        after: int = 0,
        **headers: str,
    ) -> None:
        """Have something befall requests that match ``METHOD /path``, ``after`` so many that pass: see ``Fault``."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults.append(Fault(pattern, status, times, named, after))


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""

    def answer(self) -> None:
        body = self.read_body()
        with self.hub.lock:
            line = f"{self.command} {unquote(self.path)}"
            self.hub.requests.append(line)
            fault = self.fault(line)
        if fault is not None and fault.status == "stall":
            time.sleep(self.hub.stall)  # while others are answered
        with self.hub.lock, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.befall(fault, body)

    def befall(self, fault: Fault | None, body: bytes) -> None:
        """Answer a request, or do what a fault says."""
        status = "drop" if fault is not None and fault.status is None else fault and fault.status
        match status:
            case None:
                self.route(body)
            case int():
                self.send(status, {"error": "asked to fail"}, fault.headers)
            case "html":
                page = b"<!doctype html><title>Log in</title><form>Welcome to our network.</form>"
                self.send(200, page, {"Content-Type": "text/html"})
            case "nothing":
                self.send(200)
            case "drop" | "stall":
                self.hang_up()
            case "truncated" | "lost":
                self.cut = status
                self.route(body)
            case _ if callable(status):
                status()
                self.route(body)
            case "kill":
                self.hub.kill()
                self.hang_up()
            case _:
                raise AssertionError(f"no such fault: {status}")

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()

    cut: str | None = None
    """Is the answer to be cut to its half, or to nothing?"""

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer

    def fault(self, line: str) -> Fault | None:
        for fault in self.hub.faults:
            if re.search(fault.pattern, line) and fault.times > 0:
                if fault.after > 0:
                    fault.after -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    def read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def send(self, status: int, data: object = b"", headers: dict[str, str] | None = None) -> None:
        kind = "application/octet-stream" if isinstance(data, bytes) else "application/json"
        raw = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(raw)), **(headers or {})}.items():
            self.send_header(name, value)
        if self.cut == "lost":
            return self.hang_up()
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw[: len(raw) // 2] if self.cut else raw)
        if self.cut:
            self.wfile.flush()
            self.hang_up()
        return None

    def refuse(self, status: int, code: str, why: str) -> None:
        self.send(status, {"error": why}, {"X-Error-Code": code, "X-Error-Message": why})

    # --- routes -------------------------------------------------------------------------------------------

    def route(self, body: bytes) -> None:
        hub, address = self.hub, urlsplit(self.path)
        path, query = address.path, parse_qs(address.query)
        if path == "/api/whoami-v2":
            known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            rights = {"accessToken": {"role": "write"}}
            if not known:
                return self.refuse(401, "Unauthorized", "Invalid credentials")
            return self.send(200, {"type": "user", "name": "tester", "fullname": "tester", "orgs": [], "auth": rights})
        if path == "/api/validate-yaml":
            return self.send(200, {"errors": [], "warnings": []})
        if path == "/api/repos/create":
            return self.create(json.loads(body))
        if found := re.fullmatch(r"/large/([0-9a-f]{64})", path):
            if self.command == "PUT":
                hub.large[found[1]] = body
                return self.send(200)
            return self.send(200, hub.large[found[1]])
        if path.endswith(".git/info/lfs/objects/batch"):
            return self.large_files(json.loads(body))
        if found := re.fullmatch(
            r"/api/(models|datasets|spaces)/([^/]+/[^/]+)(?:/([a-z-]+)(?:/([^/]+))?(?:/(.*))?)?", path
        ):
            kind, name, verb, revision, rest = found.groups()
            repo = self.repository(KINDS[kind], unquote(name))
            if repo is not None:
                self.ask(repo, KINDS[kind], unquote(name), verb or "revision", unquote(revision or "main"),
                         unquote(rest or ""), query, body)  # fmt: skip
            return None
        if found := re.fullmatch(r"/(?:(datasets|spaces)/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            repo = self.repository(KINDS[found[1] or "models"], unquote(found[2]))
            if repo is not None:
                self.resolve(repo, unquote(found[3]), unquote(found[4]))
            return None
        return self.refuse(404, "NotFound", f"no such address: {self.command} {path}")

    def repository(self, kind: str, name: str) -> Repo | None:
        repo = self.hub.repos.get((kind, name))
        known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        if repo is None or (repo.private and not known):
            self.refuse(404, "RepoNotFound", "Repository not found")
            return None
        if repo.gated:
            self.refuse(403, "GatedRepo", f"Access to {name} is restricted")
            return None
        return repo

    def create(self, asked: dict) -> None:
        kind, name = asked.get("type") or "model", f"{asked.get('organization') or 'tester'}/{asked['name']}"
        url = f"{self.hub.url}/{'' if kind == 'model' else kind + 's/'}{name}"
        if (kind, name) in self.hub.repos:
            return self.send(409, {"error": "You already created this repo", "url": url})
        private = asked.get("visibility") == "private" or bool(asked.get("private"))
        repo = self.hub.repos[kind, name] = Repo(private)
        repo.add("main", {".gitattributes": b"*.parquet filter=lfs\n"}, "initial commit")
        return self.send(200, {"url": url, "name": name, "id": name})

    def ask(
        self, repo: Repo, kind: str, name: str, verb: str, revision: str, rest: str, query: dict, body: bytes
    ) -> None:
        if verb == "refs":
            branches = [_reference("heads", n, oid) for n, oid in repo.heads.items() if not n.startswith("refs/")]
            tags = [_reference("tags", n, oid) for n, oid in repo.tags.items()]
            return self.send(200, {"branches": branches, "converts": [], "tags": tags})
        if verb == "discussions":
            return self.send(200, self.requests_to(repo, kind, name, query))
        oid = repo.find(revision)
        if verb == "tag" and self.command == "POST":
            tag = json.loads(body)["tag"]
            if tag in repo.tags:
                return self.send(409, {"error": "Tag already exists"})
            repo.tags[tag] = str(oid)
            return self.send(200, {})
        if verb == "tag" and self.command == "DELETE":
            repo.tags.pop(revision, None)
            return self.send(200, {})
        if oid is None:
            return self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        files = repo.commits[oid]
        if verb == "revision":
            return self.send(200, {
                "_id": name, "id": name, "author": name.partition("/")[0], "sha": oid, "private": repo.private,
                "gated": False, "disabled": False, "downloads": 0, "likes": 0, "tags": [], "lastModified": DATE,
                "createdAt": DATE, "cardData": _card(files),
                "siblings": [{"rfilename": path} for path in sorted(files)],
            })  # fmt: skip
        if verb == "tree":
            deep = query.get("recursive", ["false"])[0].lower() in ("true", "1")
            return self.tree(files, rest.strip("/"), deep)
        if verb == "paths-info":
            kind_of_body = self.headers.get("Content-Type", "")
            wanted = json.loads(body) if kind_of_body.startswith("application/json") else parse_qs(body.decode())
            found = [_entry(path, files[path]) for path in wanted["paths"] if path in files]
            folders = {path for path in wanted["paths"] if any(f.startswith(path.rstrip("/") + "/") for f in files)}
            return self.send(200, found + [_folder(path) for path in sorted(folders)])
        if verb == "preupload":
            return self.send(200, {"files": [_upload(f["path"], files) for f in json.loads(body)["files"]]})
        if verb == "commit":
            return self.commit(repo, kind, name, revision, oid, body, "create_pr" in query)
        if verb == "commits":
            return self.send(200, [{"id": oid, "title": repo.titles[oid], "message": "", "date": DATE, "authors": []}])
        return self.refuse(404, "NotFound", f"nothing is known of {verb}")

    def requests_to(self, repo: Repo, kind: str, name: str, query: dict) -> dict:
        """All pull requests are open, and of the one user."""
        mine = query.get("author", ["tester"]) == ["tester"]
        about = {"author": {"name": "tester"}, "createdAt": DATE, "status": "open", "isPullRequest": True}
        found = [
            {
                "title": repo.titles[oid],
                "num": int(head.rpartition("/")[2]),
                "repo": {"name": name, "type": kind},
                **about,
            }
            for head, oid in repo.heads.items()
            if head.startswith("refs/pr/") and mine
        ]
        return {"discussions": found, "count": len(found), "start": 0}

    def tree(self, files: dict[str, bytes], under: str, deep: bool) -> None:
        prefix = f"{under}/" if under else ""
        entries, folders = [], set()
        for path, data in sorted(files.items()):
            if not path.startswith(prefix):
                continue
            steps = path.removeprefix(prefix).split("/")
            above = list(itertools.accumulate(steps[:-1], "{}/{}".format))
            folders |= {prefix + folder for folder in (above if deep else above[:1])}
            if deep or len(steps) == 1:
                entries.append(_entry(path, data))
        if not entries and not folders and under:
            return self.refuse(404, "EntryNotFound", f"{under} does not exist")
        return self.send(200, entries + [_folder(path) for path in sorted(folders)])

    def commit(self, repo: Repo, kind: str, name: str, branch: str, oid: str, body: bytes, as_pr: bool) -> None:
        files, title = dict(repo.commits[oid]), ""
        for item in map(json.loads, filter(None, body.split(b"\n"))):
            key, value = item["key"], item["value"]
            if key == "header":
                title = value["summary"]
                if value.get("parentCommit") not in (None, oid):
                    return self.refuse(412, "PreconditionFailed", "A commit has happened since.")
            elif key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                if value["oid"] not in self.hub.large:
                    return self.refuse(400, "BadRequest", "a large file was never uploaded")
                files[value["path"]] = self.hub.large[value["oid"]]
            elif key == "deletedFile":
                files.pop(value["path"], None)
            elif key == "deletedFolder":
                files = {
                    path: data for path, data in files.items() if not path.startswith(value["path"].rstrip("/") + "/")
                }
        address, extra = f"{self.hub.url}/{'' if kind == 'model' else kind + 's/'}{name}", {}
        if as_pr:
            number = 1 + sum(head.startswith("refs/pr/") for head in repo.heads)
            branch, extra = f"refs/pr/{number}", {"pullRequestUrl": f"{address}/discussions/{number}"}
        new = repo.add(branch, files, title)
        found = {"success": True, "commitOid": new, "commitUrl": f"{address}/commit/{new}", "hookOutput": ""}
        return self.send(200, {**found, **extra})

    def large_files(self, asked: dict) -> None:
        objects = []
        for item in asked["objects"]:
            link = {"href": f"{self.hub.url}/large/{item['oid']}"}
            if asked["operation"] == "download":
                item = {**item, "actions": {"download": link}}
            elif item["oid"] not in self.hub.large:
                item = {**item, "actions": {"upload": link}}
            objects.append(item)
        self.send(200, {"transfer": "basic", "objects": objects})

    def resolve(self, repo: Repo, revision: str, path: str) -> None:
        oid = repo.find(revision)
        if oid is None:
            return self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        data = repo.commits[oid].get(path)
        if data is None:
            return self.refuse(404, "EntryNotFound", "Entry not found")
        entry = _entry(path, data)
        headers = {"ETag": f'"{entry.get("lfs", entry)["oid"]}"', "X-Repo-Commit": oid, "Accept-Ranges": "bytes"}
        if part := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(part[1]), min(int(part[2] or len(data)), len(data) - 1)
            where = f"bytes {first}-{last}/{len(data)}"
            return self.send(206, data[first : last + 1], {**headers, "Content-Range": where})
        return self.send(200, data, headers)


def _card(files: dict[str, bytes]) -> dict:
    found = re.match(r"---\n(.*?)\n---", files.get("README.md", b"").decode(), re.S)
    return (yaml.safe_load(found[1]) or {}) if found else {}


def _reference(kind: str, name: str, oid: str) -> dict:
    return {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid}


def _folder(path: str) -> dict:
    return {"type": "directory", "oid": hashlib.sha1(path.encode()).hexdigest(), "size": 0, "path": path}


def _is_large(path: str) -> bool:
    return path.endswith((".parquet", ".arrow"))


def _entry(path: str, data: bytes) -> dict:
    entry = {
        "type": "file",
        "oid": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(),
        "size": len(data),
        "path": path,
    }
    if _is_large(path):
        entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return entry


def _upload(path: str, files: dict[str, bytes]) -> dict:
    known = _entry(path, files[path]) if path in files else None
    oid = known.get("lfs", known)["oid"] if known else None
    return {"path": path, "uploadMode": "lfs" if _is_large(path) else "regular", "shouldIgnore": False, "oid": oid}
