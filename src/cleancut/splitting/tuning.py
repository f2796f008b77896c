"""The constants of the search, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """The constants of the search. They were chosen on real corpora; ``benchmarks/search.md`` has figures."""

    # --- what a search may miss, and what that costs -------------------------------------------------------------

    soft: float = 2.0
    """The cost of a sample off a quota during a search: more than that of a mixed sample, so that quotas are met, and
    little enough that a search can pass through labels that miss them."""
    soft_discarding: float = 4.0
    """The same where mixed samples are discarded, since a discarded sample takes its mentions with it."""
    firm: float = 5.0
    """The cost of a sample off a quota at the end, when nothing has to be passed through any more."""
    first_weight: float = 1.0
    """The cost of a sample off a quota where a search begins that ends with ``soft_discarding``: no more than that of a
    mixed sample, so that whole clusters of entities can move before the quotas stand in their way."""
    first_slack: float = 0.01
    """The distance from a quota that costs nothing at the beginning of such a search."""
    firm_from: float = 0.7
    """The share of its moves after which it asks for what it has to end with."""
    loose: float = 0.003
    """The distance from a quota that costs nothing during a search, as a share of the samples: room for moves."""
    tight: float = 0.0003
    """The same at the end, well below what a ratio in percent shows."""
    packed_below: float = 0.5
    """The cost below which whole components count as packed: less than that of any sample that is mixed or off."""

    # --- how far a search goes -----------------------------------------------------------------------------------

    warm: float = 1.5
    """The first temperature of an ordinary search: a move that mixes one sample more is made every other time."""
    heats: tuple[float, ...] = (4.0, 8.0, 16.0, 4.0, 8.0, 16.0)
    """The first temperatures of the searches that wander far, where mixed units are discarded. Units with many entities
    are mixed first, and the density that is lost with them comes back only if whole clusters of entities move, which
    takes a higher temperature than single moves."""
    cool: float = 0.3
    """The last temperature of these searches, from which others go on."""
    downhill: int = 20
    """The number of moves for each vertex below which a search goes downhill only: few moves are best spent so."""
    downhill_hot: float = 0.3
    """The first temperature where there are so few moves."""
    downhill_cold: float = 0.1
    """The last temperature where there are so few moves."""

    # --- where moves are made ------------------------------------------------------------------------------------

    at_front: float = 0.6
    """The share of the moves that are made at the front, which is where mixed units are."""
    at_front_discarding: float = 0.2
    """The same where mixed units are discarded: fewer, since other units have to take their place."""
    at_front_hardening: float = 0.4
    """The same where quotas become firm in the course of the search: other units find a place while they are soft."""
    most_hub_hardening: float = 20.0
    """The number of units of a vertex up to which the front of such a search always moves it: where quotas are soft,
    whole hubs can change sides."""
    beyond_front: float = 0.8
    """The share of the moves at the front that move a neighbour of a mixed unit's vertex instead of the vertex."""
    most_hub: float = 5.0
    """The number of units of a vertex up to which the front always moves it; hubs come up often, and are much work."""
    to_neighbour: float = 0.7
    """The share of the other moves that give a vertex the label of a neighbour; the rest give it any label."""

    # --- how much is done ----------------------------------------------------------------------------------------

    small: int = 100_000
    """The number of vertices up to which a problem is cut so fast that many ways are tried."""
    few_vertices: int = 2_000
    """The number of vertices up to which several short searches that wander far are better than a few long ones."""
    much_discarded: float = 0.05
    """The share of the samples from which so many are discarded that quotas change much with them. On BTC, where 1 to
    4% are, searches that leave the quotas loose to the end find better plans; on BC5CDR, those that do not."""
    least_moves: int = 300_000
    """The number of moves that even the least effort spends on quotas and density."""
    moves_without_numba: int = 100_000
    """The largest number of moves of a search in plain Python: some seconds."""
    packing_moves: tuple[int, int] = (200_000, 4_000_000)
    """The least and the largest number of moves that components are packed by."""
    large_component: float = 0.01
    """The share of the samples from which a component is packed before all others: single moves could not balance it
    later."""


TUNING = Tuning()
"""The constants that are used."""
