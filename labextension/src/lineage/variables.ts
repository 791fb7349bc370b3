import { parseVariable } from '../model/urns';
import type { IEdge, IGraph } from './graph';
import { getEdgeId } from './graph';

type Ends = ReadonlyMap<string, readonly IEdge[]>;

/** Collects edges by one of their ends. */
function groupByEnd(edges: readonly IEdge[], end: 'source' | 'target'): Ends {
  const groups = new Map<string, IEdge[]>();
  for (const edge of edges) {
    groups.set(edge[end], [...(groups.get(edge[end]) ?? []), edge]);
  }
  return groups;
}

/** Adds the edges from the cells that left a variable to those that used it. */
function addEdgesThrough(
  name: string,
  writes: readonly IEdge[],
  reads: readonly IEdge[],
  edges: Map<string, IEdge>
): void {
  for (const { source } of writes) {
    // A cell that changes a variable in place has no edge to itself.
    for (const edge of reads.filter(({ target }) => target !== source)) {
      const id = getEdgeId({ source, target: edge.target });
      const through = [...new Set([...(edges.get(id)?.through ?? []), name])];
      edges.set(id, { ...edge, source, through });
    }
  }
}

/**
 * Replaces the variables through which data flows from cell to cell by edges between the cells, which name them. A variable
 * stays if it is the focus, or if nothing uses it or made it in this graph.
 */
export function foldVariables(graph: IGraph): IGraph {
  const writes = groupByEnd(graph.edges, 'target');
  const reads = groupByEnd(graph.edges, 'source');
  const folded = new Map<string, string>();
  for (const { urn } of graph.nodes) {
    const variable = urn === graph.focus ? null : parseVariable(urn);
    if (variable && writes.has(urn) && reads.has(urn)) {
      folded.set(urn, variable.name);
    }
  }
  if (folded.size === 0) {
    return graph;
  }
  const isKept = ({ source, target }: { source: string; target: string }): boolean =>
    !folded.has(source) && !folded.has(target);
  const edges = new Map(graph.edges.filter(isKept).map(edge => [getEdgeId(edge), edge]));
  folded.forEach((name, urn) => addEdgesThrough(name, writes.get(urn) ?? [], reads.get(urn) ?? [], edges));
  return {
    ...graph,
    nodes: graph.nodes.filter(({ urn }) => !folded.has(urn)),
    edges: [...edges.values()],
    columns: graph.columns.filter(isKept)
  };
}
