"""The way from a problem to a split of every sample: the cut, and the units that are discarded for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from .layout import DISCARDED, Layout, Limits
from .placement import placed
from .problem import Problem, Solution, cost_of, n_mixed, split_of_units
from .quotas import Rule, deal
from .solver import polished, settled, solve


def cut(
    layout: Layout,
    limits: Limits,
    seed: int,
    engine: str,
    proposals: int,
    discard_share: float,
    progress: Callable[[float], None] | None,
    prove: float | None = None,
) -> Cut:
    """Search for a cut with few shared entities.

    Args:
        layout: the units of the corpus.
        limits: the requirements that the splits should meet.
        seed: the seed of the random choices.
        engine: the engine that cuts where whole components cannot be packed; ``none`` for no cut.
        proposals: the number of moves that the search tries.
        discard_share: the largest share of the samples to discard; 1.0 for as many as it takes to share nothing.
        progress: called with the share of the work done since it was called last.
        prove: the seconds to look for a proof that no split discards fewer; None for no proof.
    """
    problem = replace(layout.problem(limits), **layout.quotas(limits, seed))
    if progress is not None:
        checks.function(progress, "progress", "a function that takes a share of the work")
    work = _Work(progress)
    search = _Search(layout, limits, seed, engine, proposals, discard_share, work)
    # Where samples may be discarded, a part of the work is left for the search that follows.
    first_part = 1.0
    if search.discards:
        first_part = 0.8 if discard_share >= 1 else 0.4
    solution = solve(
        replace(problem, discards=search.discards),
        **search.options,
        requoted=search.requoted,
        most_discarded=search.most_discarded,
        progress=work.part(first_part),
    )
    outcome = search.with_density(problem, search.outcome(problem, solution))
    work.finish()
    proven = False
    if prove is not None and outcome.discarded.any():
        outcome, proven = search.proven(problem, outcome, prove)
    return Cut(outcome.split_of_sample, outcome.solution.how, proven)


class Cut(NamedTuple):
    """A split of every sample."""

    split_of_sample: NDArray[np.int64]
    """The split of each sample; -1 for discarded samples."""
    how: str
    """A word that says how the cut was known."""
    proven: bool = False
    """Whether it was proven by an exact search that no split discards fewer samples."""


class _Outcome(NamedTuple):
    """What came of a search."""

    split_of_sample: NDArray[np.int64]
    """The split of each sample; -1 for discarded samples."""
    solution: Solution
    """The solution that it was made of."""
    discarded: NDArray[np.bool_]
    """Whether each unit of the problem is discarded."""


_DENSER = 3
"""How often a search is repeated with a higher floor where the splits turn out to be sparser than asked."""


class _Search:
    """The way from a solution to a split of every sample."""

    def __init__(
        self,
        layout: Layout,
        limits: Limits,
        seed: int,
        engine: str,
        proposals: int,
        discard_share: float,
        work: _Work,
    ) -> None:
        self._layout = layout
        self._limits = limits
        self._seed = seed
        self._proposals = proposals
        self._discard_share = discard_share
        self.most_discarded = int(discard_share * len(layout.corpus))
        """The largest number of samples that may be discarded."""
        self._work = work
        self.discards = self.most_discarded > 0
        """Whether samples may be discarded."""
        self.options: dict[str, Any] = {"seed": seed, "engine": engine, "proposals": proposals}
        """The options of ``solve``."""

    def outcome(self, problem: Problem, solution: Solution) -> _Outcome:
        """Return the split of every sample by a solution, from which samples are discarded as far as they may be."""
        discarded = np.zeros(len(problem.size), bool)
        rest = problem
        if self.most_discarded and n_mixed(problem, solution):
            solution, discarded, rest = self._discarding(problem, solution)
        split = split_of_units(problem, solution.labels)[0]
        # With a share of 1 nothing may be shared, whatever that does to the ratios.
        if self.options["engine"] != "none" and self._discard_share < 1:
            split = _levelled(rest, split, self._layout.unit_hash[self._layout.bearing])
        if self._limits.shares[0] == 0:  # there is no train: the splits are folds of equal standing
            if not self.most_discarded:
                split = placed(problem, split, self._proposals // 2, self._seed + 7)
            elif self._discard_share >= 1:
                discarded |= split == 0
        of_bearing = np.where(discarded, DISCARDED, split)
        assignment = self._layout.with_entity_less(of_bearing, self._limits, self._seed)
        return _Outcome(assignment, solution, discarded)

    def proven(self, problem: Problem, outcome: _Outcome, seconds: float) -> tuple[_Outcome, bool]:
        """Return an outcome that is perhaps better, and whether no split discards fewer samples.

        Args:
            problem: the problem.
            outcome: the outcome that is known.
            seconds: the time that it may take.
        """
        from .exact import proof

        quotas = self._layout.quotas(self._limits, self._seed, outcome.discarded)
        known = proof(replace(problem, **quotas, discards=True), outcome.solution.labels, seconds)
        if known.n_discarded == int(problem.size[outcome.discarded].sum()):
            return outcome, known.proven
        split, is_mixed = split_of_units(problem, known.labels)
        assignment = self._layout.with_entity_less(np.where(is_mixed, DISCARDED, split), self._limits, self._seed)
        solution = Solution(known.labels, float(known.n_discarded), "cut:exact")
        return _Outcome(assignment, solution, is_mixed), known.proven

    def requoted(self, problem: Problem, solution: Solution) -> Problem:
        """Return a problem with the quotas that are left once the samples that a solution mixes are discarded."""
        search = _Discarding(self._layout, self._limits, problem, self.most_discarded, self._proposals, self._seed)
        discarded = search.first_discarded(solution, np.zeros(len(problem.size), bool))
        return replace(problem, **self._layout.quotas(self._limits, self._seed, discarded))

    def _discarding(self, problem: Problem, solution: Solution) -> tuple[Solution, NDArray[np.bool_], Problem]:
        """Return a solution near by, the units that it discards, and the problem that remains without them."""
        search = _Discarding(self._layout, self._limits, problem, self.most_discarded, self._proposals, self._seed)
        solution = search.settled(solution)
        if n_mixed(problem, solution) <= self.most_discarded:
            discarded = search.first_discarded(solution, np.zeros(len(problem.size), bool))
            return solution, discarded, search.without(discarded)
        # Another way is to cut as if all units were kept, and to discard afterwards.
        start = solve(problem, **self.options, progress=self._work.part(0.3))
        rounds = [*search.rounds(solution), *search.rounds(start)]
        return min(rounds, key=lambda candidate: cost_of(candidate[0]))

    def with_density(self, problem: Problem, outcome: _Outcome) -> _Outcome:
        """Return an outcome whose held-out splits have the density that was asked for, over all of their samples.

        The solver holds it over entity-bearing samples and by a cost, so that a little may be missing once the others
        are dealt. Then the floor is raised by what is missing.
        """
        best, least = outcome, self._layout.missing_density(outcome.split_of_sample, self._limits)
        missing = least
        for nth in range(_DENSER):
            if missing <= 0 or self.options["engine"] == "none":
                break
            low, high = problem.density
            problem = replace(problem, density=(min(low * (1 + missing + 0.001), high), high))
            solution = settled(
                replace(problem, discards=self.discards), outcome.solution, self._proposals // 8, self._seed + 20 + nth
            )
            outcome = self.outcome(problem, solution)
            missing = self._layout.missing_density(outcome.split_of_sample, self._limits)
            if missing < least:
                best, least = outcome, missing
        return best


class _Work:
    """The work of a search, of which parts are reported to ``progress`` as they are done."""

    def __init__(self, progress: Callable[[float], None] | None) -> None:
        self._progress = progress
        self._left = 1.0

    def part(self, share: float) -> Callable[[float], None]:
        """Return a function that reports shares of one part, which is itself the given share of all work."""
        return lambda share_of_part: self._report(share * share_of_part)

    def finish(self) -> None:
        """Report all that is left."""
        self._report(self._left)

    def _report(self, share: float) -> None:
        """Report a share of the work, and take it from what is left."""
        if self._progress is not None:
            self._progress(share)
            self._left -= share


class _Discarding:
    """The search for a cut after which at most a given number of samples is discarded."""

    def __init__(
        self, layout: Layout, limits: Limits, problem: Problem, most_discarded: int, proposals: int, seed: int
    ) -> None:
        self._layout = layout
        self._limits = limits
        self._problem = problem
        self._most_discarded = most_discarded
        self._proposals = proposals
        self._seed = seed

    def settled(self, solution: Solution) -> Solution:
        """Return a solution near by that meets the quotas of the units it keeps.

        The discarded units decide how many samples are kept, and so the quotas; these change the discarded units. So
        it is done twice.
        """
        none = np.zeros(len(self._problem.size), bool)
        for nth in range(2):
            discarded = self.first_discarded(solution, none)
            quotas = self._layout.quotas(self._limits, self._seed, discarded)
            kept = replace(self._problem, **quotas, discards=True)
            solution = settled(kept, solution, self._proposals // 8, self._seed + 4 + nth)
        return solution

    def rounds(self, solution: Solution) -> Iterator[tuple[Solution, NDArray[np.bool_], Problem]]:
        """Yield solutions that are polished without discarded units, with these units and the rest of the problem.

        Each solution may have other mixed units than the one before, so that other units are discarded.
        """
        discarded = np.zeros(len(self._problem.size), bool)
        for nth in range(3):
            discarded = self.first_discarded(solution, discarded)
            rest = self.without(discarded)
            solution = polished(rest, solution, self._proposals // 8, self._seed + 5 + nth)
            solution = settled(rest, solution, self._proposals // 10, self._seed + 8 + nth)
            yield solution, discarded, rest

    def without(self, discarded: NDArray[np.bool_]) -> Problem:
        """Return the problem that remains once discarded units are removed."""
        quotas = self._layout.quotas(self._limits, self._seed, discarded)
        return replace(self._problem.without(discarded), **quotas)

    def first_discarded(self, solution: Solution, discarded: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each unit whether it is discarded: as many mixed units as may be.

        Units that were discarded before come first, then those that share an entity with train. Of these, units with
        few mentions come first, since others with as many mentions would have to take their place.
        """
        problem = self._problem
        with_train = np.zeros(len(discarded), bool)
        with_train[problem.unit_vertices.rows()[solution.labels[problem.unit_vertices.columns] == 0]] = True
        mixed_units = np.flatnonzero(split_of_units(problem, solution.labels)[1])
        hashes = self._layout.unit_hash[self._layout.bearing]
        criteria = (hashes, problem.mentions, ~with_train, ~discarded)  # the last one counts most
        order = mixed_units[np.lexsort([criterion[mixed_units] for criterion in criteria])]
        room = np.array([0.0, self._most_discarded])
        return deal(problem.size, order, room, Rule.WHAT_FITS) > 0


def _levelled(problem: Problem, split: NDArray[np.int64], order: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the split of each unit, with single units moved until the quotas are met.

    Labels of entities cannot always meet them: one entity may be everywhere. The units that touch the fewest others
    are moved first; ``order`` decides between equal ones.
    """
    size = problem.size
    quota = problem.shares * size.sum()
    surplus = np.bincount(split, weights=size, minlength=len(quota)) - quota
    if (np.abs(surplus) <= max(0.003 * size.sum(), 1)).all():
        return split
    rows = problem.unit_vertices
    degree = np.diff(problem.vertex_units.bounds)
    n_others = np.add.reduceat(degree[rows.columns], rows.bounds[:-1])
    rank = np.lexsort((order, n_others))
    is_moved = np.zeros(len(size), bool)
    for s in np.flatnonzero(surplus > 0):
        is_moved |= deal(size, rank[split[rank] == s], np.array([0.0, surplus[s]]), Rule.WHAT_FITS) > 0
    moved = rank[is_moved[rank]]
    split[moved] = deal(size[moved], np.arange(len(moved)), np.maximum(-surplus, 0), Rule.IN_TURN)
    return split
