"""Requests to the Hub: ids are checked before them, and what goes wrong is said in one line with the way on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.exceptions import CleancutError, quoted
from ..reading.hub_ids import is_repo, network_errors


def check_repo(repo: str) -> str:
    """A repository id ``org/name``, refused before any request where it cannot be one."""
    if not isinstance(repo, str) or not is_repo(repo):
        raise CleancutError(f"{quoted(repo)} is not the id of a repository. Give org/name of letters, digits, . _ -.")
    return repo


# --- requests ---------------------------------------------------------------------------------------------------


Result = TypeVar("Result")

_PATIENCE = 3
"""How often to wait, as long as the Hub asks for, where it limits requests."""
WAIT = 120.0
"""Seconds to wait for the next byte of an answer."""


def wait_no_longer() -> None:
    """Have the client of this process give up on a Hub that says nothing, for which it would wait for ever.

    That is a setting of the whole process, and so for programs alone. Clients before version 1 have no such setting.
    """
    from huggingface_hub.utils import get_session

    session: Any = get_session()
    if hasattr(session, "timeout"):
        session.timeout = WAIT


def attempt(request: Callable[[], Result], repo: str, resume: str) -> Result:
    """Run requests, and turn what may go wrong on the way into one line that says how to go on."""
    from huggingface_hub import errors

    try:
        for patience in range(_PATIENCE, -1, -1):
            try:
                return request()
            except RuntimeError as error:  # how the client wraps what befell one of several files
                if isinstance(error.__cause__, network_errors()):
                    raise error.__cause__ from None
                raise
            except errors.HfHubHTTPError as error:  # what was done already is not done again
                if error.response is None or error.response.status_code != 429 or not patience:
                    raise
                wait = error.response.headers.get("Retry-After", "")
                time.sleep(min(float(wait) if wait.replace(".", "", 1).isdigit() else 10.0, 300.0))
    except errors.LocalEntryNotFoundError as error:  # no answer, and no copy from before
        why = _unreachable(error)
    except errors.GatedRepoError:
        why = "access to it is restricted. Ask for access on its page, and log in with `hf auth login`"
    except (errors.RepositoryNotFoundError, FileNotFoundError):  # as datasets says it
        why = "there is no such repository, or you may not see it. Check the id, and log in with `hf auth login`"
    except errors.RevisionNotFoundError:
        why = "there is no such revision"
    except errors.EntryNotFoundError as error:
        why = f"it has no such file ({str(error).splitlines()[-1].strip(' .')})"
    except errors.LocalTokenNotFoundError:
        why = "you are not logged in. Run `hf auth login`"
    except errors.HfHubHTTPError as error:
        why = _refusal(error)
    except network_errors() as error:
        why = _unreachable(error)
    except CleancutError:
        raise
    except Exception as error:  # whatever the clients make of an answer that is none, such as the page of a proxy
        why = f"the answer is not one of the Hub ({type(error).__name__}). Is there a proxy or a login page in between"
        raise CleancutError(f"{repo}: {why}? {resume}") from None
    raise CleancutError(f"{repo}: {why}. {resume}") from None


def _unreachable(error: BaseException) -> str:
    return f"the Hub cannot be reached ({type(error).__name__}). Check the network"


def _refusal(error: Any) -> str:
    status = error.response.status_code if error.response is not None else 0
    if status in (401, 403):
        return f"you may not do that (status {status}). Log in with `hf auth login` and a token that may write"
    if status == 429:
        return "the Hub limits your requests (status 429). Wait a while"
    if status == 412:
        return "someone else has changed it in between (status 412)"
    return f"the Hub refused (status {status})"
