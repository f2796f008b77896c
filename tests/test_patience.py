"""Searches that end before their moves are made: after a time, or when someone has had enough."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from cleancut import CleancutError, SplitSettings, mincut, write
from cleancut.demo.sampletext import generate
from cleancut.splitting.mincut import _best_in_time
from cleancut.splitting.patience import granted, patience, stopped_by_interrupt
from cleancut.splitting.settings import seconds_of
from cleancut.splitting.tuning import TUNING

MANY = 10 * TUNING.least_moves


def test_moves_are_granted_until_the_search_is_stopped():
    assert granted(MANY) == MANY
    with patience() as outer, patience(60) as inner:
        assert granted(MANY) == MANY and not inner.is_over
        outer.stop()
        assert inner.is_over and not inner.was_stopped
        assert granted(MANY) == TUNING.least_moves and granted(5) == 5
    assert granted(MANY) == MANY


def test_moves_are_granted_until_the_time_is_over():
    with patience(0.02) as current:
        assert granted(MANY) == MANY and 0 <= current.spent < 1
        time.sleep(0.03)
        assert granted(MANY) == TUNING.least_moves and current.spent == 1


def test_a_context_without_a_time_is_the_outer_one():
    with patience(60) as outer, patience() as inner:
        assert inner is outer


def test_a_search_that_takes_no_time_is_repeated_until_its_time_is_over():
    """Its moves are doubled each time, more than a thousand times, when a few samples cannot be split without loss."""
    asked = []

    def attempt(moves, seed, progress):
        asked.append(moves)
        return seed

    assert _best_in_time(attempt, lambda seed: (1, seed), 0.2, 5, None) == min(5 + 7919 * i for i in range(len(asked)))
    assert len(asked) > 1000 and max(asked) <= 10**12 and sorted(asked[1:100]) == asked[1:100]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_the_second_interruption_is_left_to_whoever_had_it():
    # Whoever started the tests may have it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), stopped_by_interrupt():
            os.kill(os.getpid(), signal.SIGINT)
            assert granted(MANY) == TUNING.least_moves
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_outside_of_the_main_thread_nothing_changes():
    before, seen = signal.getsignal(signal.SIGINT), []

    def search():
        with stopped_by_interrupt():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert seen == [before]


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("1.5m", 90), ("2min", 120), ("1h", 3600), ("fast", None)])
def test_times_as_people_write_them(text, seconds):
    assert seconds_of(text) == seconds
    assert SplitSettings(effort=text).effort == text
    assert f"--effort {text}" in SplitSettings(effort=text).flags()


@pytest.mark.parametrize("effort", ["0s", "soon", "s", "-3s", 30, "30"])
def test_other_efforts_are_refused(effort):
    with pytest.raises(CleancutError, match="effort="):
        SplitSettings(effort=effort)


@pytest.mark.slow
def test_a_search_in_a_time_tells_its_progress_and_is_no_worse_than_a_fast_one():
    corpus, told = generate(400), []
    began = time.monotonic()
    plan = mincut(corpus, discard="auto", effort="3s", progress=told.append)
    assert sum(told) == pytest.approx(1, abs=1e-3)
    assert plan.n_discarded <= mincut(corpus, discard="auto", effort="fast").n_discarded
    assert not plan.n_discarded or time.monotonic() - began >= 1
    assert "effort:3s" in plan.signature


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_an_interruption_ends_the_search_and_keeps_the_best(tmp_path):
    write(generate(600), tmp_path / "corpus.conll")
    command = ["split", "corpus.conll", "-o", "clean", "--discard", "auto", "--effort", "10m"]
    for seconds in (15, 30, 60):  # until it searches: a busy machine takes long to begin
        program = subprocess.Popen(
            [sys.executable, "-m", "cleancut", *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(seconds)
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=120)
        if program.returncode == 0:
            break
        assert program.returncode == 130 and not (tmp_path / "clean").exists()
    assert program.returncode == 0 and b"The search was stopped before its end" in out
    assert (tmp_path / "clean" / "plan.json").exists()


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals are for the main thread")
def test_the_second_interruption_is_for_the_program():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), stopped_by_interrupt(), patience() as current:
            signal.raise_signal(signal.SIGINT)
            assert current.is_over
            signal.raise_signal(signal.SIGINT)
            pytest.fail("the second interruption was lost")
    finally:
        signal.signal(signal.SIGINT, before)
