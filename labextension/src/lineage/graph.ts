import type { Lineage } from '../generated/api';

export type INode = Lineage['nodes'][number];
export type IEdge = Lineage['edges'][number];
export type IColumnEdge = Lineage['columns'][number];
export type Side = 'upstream' | 'downstream';

/** What is drawn: the answers of the server taken together. */
export interface IGraph {
  /** The entity that was asked about. */
  focus: string;
  nodes: readonly INode[];
  edges: readonly IEdge[];
  columns: readonly IColumnEdge[];
  /** Whether the server, or our own bound, left something out. */
  truncated: boolean;
  /** Nodes left out by our own bound. */
  cut: number;
}

export const EMPTY_GRAPH: IGraph = { focus: '', nodes: [], edges: [], columns: [], truncated: false, cut: 0 };

/** Identity of an edge within a graph. */
export function edgeId(edge: Pick<IEdge, 'source' | 'target'>): string {
  return `${edge.source}\u241f${edge.target}`;
}

function columnId(column: IColumnEdge): string {
  return [column.source, column.sourceField, column.target, column.targetField, column.program].join('\u241f');
}

/** How many neighbours every node has on each side, as far as the edges tell. */
function degrees(edges: readonly IEdge[]): Map<string, Record<Side, Set<string>>> {
  const known = new Map<string, Record<Side, Set<string>>>();
  const of = (urn: string): Record<Side, Set<string>> => {
    const have = known.get(urn) ?? { upstream: new Set<string>(), downstream: new Set<string>() };
    known.set(urn, have);
    return have;
  };
  for (const edge of edges) {
    of(edge.source).downstream.add(edge.target);
    of(edge.target).upstream.add(edge.source);
  }
  return known;
}

function shown(known: ReturnType<typeof degrees>, urn: string, side: Side): number {
  return known.get(urn)?.[side].size ?? 0;
}

/** `table_2` before `table_10`; of equals the URN decides, so that a graph is drawn the same way every time. */
function byName(a: INode, b: INode): number {
  return a.name.localeCompare(b.name, undefined, { numeric: true }) || (a.urn < b.urn ? -1 : 1);
}

/** From this count on a bound may have stopped the server: a smaller one was counted to the end. */
const BOUND_LEAST = 1000;

/** How many neighbours a node hides on a side, as text; `1,000+` where nobody counted to the end. */
export function hiddenCount({ notShown }: Pick<INode, 'notShown'>, side: Side): string {
  const count = notShown[side].toLocaleString();
  return notShown.isLowerBound && notShown[side] >= BOUND_LEAST ? `${count}+` : count;
}

/** Nodes of all answers; what one answer hides and another shows is notShown no more. */
function joinedNodes(answers: readonly Lineage[], edges: readonly IEdge[]): INode[] {
  const totals = new Map<string, Record<Side, number>>();
  const uncounted = new Set<string>();
  const nodes = new Map<string, INode>();
  for (const answer of answers) {
    const known = degrees(answer.edges);
    for (const node of answer.nodes) {
      const total = totals.get(node.urn) ?? { upstream: 0, downstream: 0 };
      for (const side of ['upstream', 'downstream'] as const) {
        total[side] = Math.max(total[side], shown(known, node.urn, side) + node.notShown[side]);
      }
      totals.set(node.urn, total);
      if (node.notShown.isLowerBound) {
        uncounted.add(node.urn);
      }
      // The first answer is about the focus, so its levels count.
      nodes.set(node.urn, nodes.get(node.urn) ?? node);
    }
  }
  const all = degrees(edges);
  return [...nodes.values()].sort(byName).map(node => {
    const total = totals.get(node.urn) ?? node.notShown;
    return {
      ...node,
      notShown: {
        upstream: Math.max(0, total.upstream - shown(all, node.urn, 'upstream')),
        downstream: Math.max(0, total.downstream - shown(all, node.urn, 'downstream')),
        ...(uncounted.has(node.urn) ? { isLowerBound: true as const } : {})
      }
    };
  });
}

/** One graph of several answers; the first one is about the focus. */
export function joined(answers: readonly Lineage[]): IGraph {
  const first = answers[0];
  if (!first) {
    return EMPTY_GRAPH;
  }
  const edges = new Map<string, IEdge>();
  const columns = new Map<string, IColumnEdge>();
  for (const answer of answers) {
    answer.edges.forEach(edge => edges.set(edgeId(edge), edges.get(edgeId(edge)) ?? edge));
    answer.columns.forEach(column => columns.set(columnId(column), column));
  }
  const all = [...edges.values()];
  const nodes = joinedNodes(answers, all);
  const there = new Set(nodes.map(node => node.urn));
  return {
    focus: first.urn,
    nodes,
    // An edge whose end the server cut off cannot be drawn.
    edges: all.filter(edge => there.has(edge.source) && there.has(edge.target)),
    columns: [...columns.values()],
    truncated: answers.some(answer => answer.truncated),
    cut: 0
  };
}

/** An answer without the nodes that are not there; what is left out is counted as notShown. */
export function within(answer: Lineage, there: ReadonlySet<string>): Lineage {
  const edges = answer.edges.filter(edge => there.has(edge.source) && there.has(edge.target));
  const nodes = answer.nodes.filter(node => there.has(node.urn));
  return { ...answer, edges, nodes: withLosses(nodes, answer.edges, edges) };
}

/** Nodes that hide what they showed before some edges were taken away. */
function withLosses(nodes: readonly INode[], edgesBefore: readonly IEdge[], edgesAfter: readonly IEdge[]): INode[] {
  const before = degrees(edgesBefore);
  const after = degrees(edgesAfter);
  const lost = (urn: string, side: Side): number => shown(before, urn, side) - shown(after, urn, side);
  return nodes.map(node => ({
    ...node,
    notShown: {
      ...node.notShown,
      upstream: node.notShown.upstream + lost(node.urn, 'upstream'),
      downstream: node.notShown.downstream + lost(node.urn, 'downstream')
    }
  }));
}

/** Nodes by their distance from the focus, over edges of either direction. */
function nearestFirst(graph: IGraph): string[] {
  const known = degrees(graph.edges);
  const order = new Set<string>([graph.focus]);
  for (const urn of order) {
    const sides = known.get(urn);
    sides?.upstream.forEach(other => order.add(other));
    sides?.downstream.forEach(other => order.add(other));
  }
  graph.nodes.forEach(node => order.add(node.urn));
  return [...order];
}

/** At most so many nodes, the nearest ones; what is left out is counted as notShown. */
export function bounded(graph: IGraph, most: number): IGraph {
  if (graph.nodes.length <= most) {
    return graph;
  }
  const kept = new Set(nearestFirst(graph).slice(0, most));
  const edges = graph.edges.filter(edge => kept.has(edge.source) && kept.has(edge.target));
  const nodes = withLosses(
    graph.nodes.filter(node => kept.has(node.urn)),
    graph.edges,
    edges
  );
  return { ...graph, nodes, edges, truncated: true, cut: graph.nodes.length - nodes.length };
}
