import { parseVariable } from '../model/notebooks/variable';
import { isControl } from './columns';
import type { IColumnEdge, IEdge, IGraph } from './graph';
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

/** Returns how a column depends on another one over two steps; a step that only controls rows makes the whole so. */
function combine(first: IColumnEdge, second: IColumnEdge): IColumnEdge['transformation'] {
  const controlling = [first, second].find(isControl);
  if (controlling) {
    return controlling.transformation;
  }
  const steps = [first.transformation, second.transformation].filter(step => step !== 'identity');
  return steps.find(step => step === 'aggregation') ?? steps[0] ?? 'identity';
}

/** Connects the columns before a variable with those after it. */
function connectColumns(columns: readonly IColumnEdge[], variable: string): IColumnEdge[] {
  const before = columns.filter(({ source, target }) => target === variable && source !== variable);
  const after = columns.filter(({ source, target }) => source === variable && target !== variable);
  const across = after.flatMap(edge =>
    before
      .filter(({ targetField }) => targetField === edge.sourceField)
      .map(({ source, sourceField, ...rest }) => ({
        ...edge,
        source,
        sourceField,
        transformation: combine({ source, sourceField, ...rest }, edge)
      }))
  );
  return [...columns.filter(({ source, target }) => ![source, target].includes(variable)), ...across];
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
    columns: [...folded.keys()].reduce<readonly IColumnEdge[]>(connectColumns, graph.columns)
  };
}
