"""Send requests to the Hub, and turn each failure into one line that says how to go on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.exceptions import CleancutError, quoted
from ..reading.hub_ids import is_repo, network_errors


def check_repo(repo: str) -> str:
    """Return a repository id, or refuse it before any request is sent.

    Args:
        repo: the id that a user gave; ``org/name`` is wanted.

    Returns:
        The same id.

    Raises:
        CleancutError: it cannot be the id of a repository.

    >>> check_repo("org/name")
    'org/name'
    """
    if not isinstance(repo, str) or not is_repo(repo):
        raise CleancutError(f"{quoted(repo)} is not the id of a repository. Give org/name of letters, digits, . _ -.")
    return repo


Result = TypeVar("Result")

_MOST_WAITS = 3
"""How often a request is sent again after the Hub has limited it."""
_USUAL_WAIT = 10.0
"""Seconds to wait where the Hub limits requests without saying for how long."""
_LONGEST_WAIT = 300.0
"""Seconds to wait at most, whatever the Hub asks for."""
WAIT = 120.0
"""Seconds to wait for the next byte of an answer."""


def wait_no_longer() -> None:
    """Make the client of this process give up on a Hub that does not answer; by default it waits for ever.

    The setting holds for the whole process, so only programs may call this. Clients before version 1 lack the setting.
    """
    from huggingface_hub.utils import get_session

    session: Any = get_session()
    if hasattr(session, "timeout"):
        session.timeout = WAIT


def attempt(request: Callable[[], Result], repo: str, resume: str) -> Result:
    """Run requests to the Hub, and turn a failure into one line that says how to go on.

    Args:
        request: sends the requests. It may run several times, and must not repeat what it has done already.
        repo: the repository that an error names.
        resume: the sentence at the end of an error, which says how to go on.

    Returns:
        What the request returned.

    Raises:
        CleancutError: the Hub refused, was not reached, or did not answer as a Hub does.
    """
    from huggingface_hub import errors

    try:
        return _with_patience(request)
    except errors.LocalEntryNotFoundError as error:  # there was no answer, and there is no copy in the cache
        why = _unreachable(error)
    except errors.GatedRepoError:
        why = "access to it is restricted. Ask for access on its page, and log in with `hf auth login`"
    except (errors.RepositoryNotFoundError, FileNotFoundError):  # datasets raises the latter
        why = "there is no such repository, or you may not see it. Check the id, and log in with `hf auth login`"
    except errors.RevisionNotFoundError:
        why = "there is no such revision"
    except errors.EntryNotFoundError as error:
        why = f"it has no such file ({str(error).splitlines()[-1].strip(' .')})"
    except errors.LocalTokenNotFoundError:
        why = "you are not logged in. Run `hf auth login`"
    except errors.HfHubHTTPError as error:
        why = _refusal(error)
    except json.JSONDecodeError as error:  # which older clients count among the errors of the network
        raise _strange_answer(error, repo, resume) from None
    except network_errors() as error:
        why = _unreachable(error)
    except CleancutError:
        raise
    except Exception as error:  # the clients raise anything when a proxy answers with a page of its own
        raise _strange_answer(error, repo, resume) from None
    raise CleancutError(f"{repo}: {why}. {resume}") from None


def _strange_answer(error: Exception, repo: str, resume: str) -> CleancutError:
    """Return the error for an answer that no Hub gives."""
    why = f"the answer is not one of the Hub ({type(error).__name__}). Is there a proxy or a login page in between"
    return CleancutError(f"{repo}: {why}? {resume}")


def _with_patience(request: Callable[[], Result]) -> Result:
    """Return the result of requests, which are sent again, after a wait, where the Hub limits them."""
    from huggingface_hub import errors

    waits_left = _MOST_WAITS
    while True:
        try:
            return request()
        except RuntimeError as error:  # the client wraps what happened to one of several files
            if isinstance(error.__cause__, network_errors()):
                raise error.__cause__ from None
            raise
        except errors.HfHubHTTPError as error:
            is_limited = error.response is not None and error.response.status_code == 429
            if not is_limited or not waits_left:
                raise
            time.sleep(_seconds_to_wait(error.response.headers.get("Retry-After", "")))
            waits_left -= 1


def _seconds_to_wait(stated: str) -> float:
    """Return how long to wait, by what the Hub stated in ``Retry-After``."""
    is_number = stated.replace(".", "", 1).isdigit()
    seconds = float(stated) if is_number else _USUAL_WAIT
    return min(seconds, _LONGEST_WAIT)


def _unreachable(error: BaseException) -> str:
    """Return the reason for a request that got no answer."""
    return f"the Hub cannot be reached ({type(error).__name__}). Check the network"


def _refusal(error: Any) -> str:
    """Return the reason for a request that the Hub answered with an error."""
    status = error.response.status_code if error.response is not None else 0
    if status in (401, 403):
        return f"you may not do that (status {status}). Log in with `hf auth login` and a token that may write"
    if status == 429:
        return "the Hub limits your requests (status 429). Wait a while"
    if status == 412:
        return "someone else has changed it in between (status 412)"
    return f"the Hub refused (status {status})"
