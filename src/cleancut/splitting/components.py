"""Connected components of the graph of samples and their entities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def components(a: NDArray[np.integer], b: NDArray[np.integer], n_nodes: int) -> NDArray[Any]:
    """Return the number of the component of each node, where edge k joins the nodes ``a[k]`` and ``b[k]``.

    Components are numbered in the order of their first nodes. To find which samples are connected by entities, make
    samples and entities nodes of one graph, the entities numbered after the samples.

    Args:
        a: one end of each edge.
        b: the other end of each edge.
        n_nodes: the number of nodes.

    >>> components(np.array([0, 1]), np.array([3, 3]), 4)
    array([0, 0, 1, 0], dtype=int32)
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(a), np.int8), (a, b)), shape=(n_nodes, n_nodes))
    component_of_node: NDArray[Any] = connected_components(graph, directed=False)[1]
    return component_of_node


def group_sizes(sample: NDArray[np.integer], entity: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the number of samples with entities in each component, from the sample and entity of each mention."""
    n_samples = int(sample.max(initial=-1)) + 1
    n_entities = int(entity.max(initial=-1)) + 1
    component_of_node = components(sample, n_samples + entity, n_samples + n_entities)
    sizes = np.bincount(component_of_node[np.unique(sample)])
    return sizes[sizes > 0]
