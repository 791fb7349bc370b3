import type { Lineage } from '../generated/api';
import { parseNotebookUrn } from '../model/urns';
import { formatWrittenData } from '../model/notebooks/written-data';

type LineageNode = Lineage['nodes'][number];

/** A node of the server, or a group of nodes that are drawn as one. */
export interface INode extends Omit<LineageNode, 'type'> {
  type: LineageNode['type'] | 'group';
  /** The nodes of a group; absent for others. */
  members?: readonly LineageNode[];
}

/** An edge of the server, or one between cells `through` variables that are not drawn. */
export type IEdge = Lineage['edges'][number] & { through?: readonly string[] };
export type IColumnEdge = Lineage['columns'][number];
export type Side = 'upstream' | 'downstream';

export const SIDES: readonly Side[] = ['upstream', 'downstream'];

/** The displayed graph: the merged answers of the server. */
export interface IGraph {
  /** The entity whose lineage is displayed. */
  focus: string;
  nodes: readonly INode[];
  edges: readonly IEdge[];
  columns: readonly IColumnEdge[];
  /** Whether the server omitted something. */
  truncated: boolean;
  /** The nodes from which the server can continue. */
  frontier: readonly string[];
}

export const EMPTY_GRAPH: IGraph = { focus: '', nodes: [], edges: [], columns: [], truncated: false, frontier: [] };

/** Returns the identity of an edge within a graph. */
export function getEdgeId(edge: Pick<IEdge, 'source' | 'target'>): string {
  return `${edge.source}\u241f${edge.target}`;
}

/** Returns the identity of an edge between columns. */
function getColumnId(column: IColumnEdge): string {
  return [column.source, column.sourceField, column.target, column.targetField, column.program].join('\u241f');
}

/** Collects the neighbours of each node on each side, according to the edges. */
export function collectNeighbours(
  edges: readonly Pick<IEdge, 'source' | 'target'>[]
): Map<string, Record<Side, Set<string>>> {
  const neighbours = new Map<string, Record<Side, Set<string>>>();
  const getSides = (urn: string): Record<Side, Set<string>> => {
    const have = neighbours.get(urn) ?? { upstream: new Set<string>(), downstream: new Set<string>() };
    neighbours.set(urn, have);
    return have;
  };
  for (const edge of edges) {
    getSides(edge.source).downstream.add(edge.target);
    getSides(edge.target).upstream.add(edge.source);
  }
  return neighbours;
}

function countShown(neighbours: ReturnType<typeof collectNeighbours>, urn: string, side: Side): number {
  return neighbours.get(urn)?.[side].size ?? 0;
}

// A collator is much faster than `localeCompare` for thousands of names.
const NAME_ORDER = new Intl.Collator(undefined, { numeric: true });

/** Sorts `table_2` before `table_10`, and equal names by URN, so that a graph always looks the same. */
function compareByName(a: LineageNode, b: LineageNode): number {
  return NAME_ORDER.compare(a.name, b.name) || (a.urn < b.urn ? -1 : 1);
}

/** From this count on, the server may have stopped at a limit; smaller counts are complete. */
const MIN_SERVER_LIMIT = 1000;

/** Formats the number of hidden neighbours of a node on a side; `1,000+` if it is a lower bound. */
export function formatHiddenCount({ notShown }: Pick<INode, 'notShown'>, side: Side): string {
  const count = notShown[side].toLocaleString();
  return notShown.isLowerBound && notShown[side] >= MIN_SERVER_LIMIT ? `${count}+` : count;
}

/** Merges the nodes of all answers. A neighbour that one answer hides and another contains is no longer hidden. */
function mergeNodes(answers: readonly Lineage[], edges: readonly IEdge[]): LineageNode[] {
  const totals = new Map<string, Record<Side, number>>();
  const uncounted = new Set<string>();
  const nodes = new Map<string, LineageNode>();
  for (const answer of answers) {
    const neighbours = collectNeighbours(answer.edges);
    for (const node of answer.nodes) {
      const total = totals.get(node.urn) ?? { upstream: 0, downstream: 0 };
      for (const side of SIDES) {
        total[side] = Math.max(total[side], countShown(neighbours, node.urn, side) + node.notShown[side]);
      }
      totals.set(node.urn, total);
      if (node.notShown.isLowerBound) {
        uncounted.add(node.urn);
      }
      // The first answer is about the focus, so its levels are used.
      nodes.set(node.urn, nodes.get(node.urn) ?? node);
    }
  }
  const allNeighbours = collectNeighbours(edges);
  return [...nodes.values()].sort(compareByName).map(node => {
    const total = totals.get(node.urn) ?? node.notShown;
    return {
      ...node,
      notShown: {
        upstream: Math.max(0, total.upstream - countShown(allNeighbours, node.urn, 'upstream')),
        downstream: Math.max(0, total.downstream - countShown(allNeighbours, node.urn, 'downstream')),
        ...(uncounted.has(node.urn) ? { isLowerBound: true as const } : {})
      }
    };
  });
}

/** Counts the cells of each title: those below one heading have the same. */
function countTitles(cells: readonly LineageNode[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { title } of cells) {
    if (title !== undefined) {
      counts.set(title, (counts.get(title) ?? 0) + 1);
    }
  }
  return counts;
}

/** Names cells without a title of their own by the data that they write, which everyone knows better than ids of cells. */
function nameCells(nodes: readonly LineageNode[], edges: readonly IEdge[]): LineageNode[] {
  const neighbours = collectNeighbours(edges.filter(({ access }) => access !== 'unknown'));
  const cells = nodes.filter(({ urn }) => parseNotebookUrn(urn)?.cell !== undefined);
  const counts = countTitles(cells);
  const unnamed = new Set(cells.filter(({ title }) => title === undefined || counts.get(title) !== 1));
  return nodes.map(node => {
    const title = unnamed.has(node) ? formatWrittenData(neighbours.get(node.urn)?.downstream ?? []) : '';
    return title === '' ? node : { ...node, title };
  });
}

/** Merges answers into a graph; the first one is about the focus. */
export function mergeAnswers(answers: readonly Lineage[]): IGraph {
  const first = answers[0];
  if (!first) {
    return EMPTY_GRAPH;
  }
  const edges = new Map<string, IEdge>();
  const columns = new Map<string, IColumnEdge>();
  for (const answer of answers) {
    answer.edges.forEach(edge => edges.set(getEdgeId(edge), edges.get(getEdgeId(edge)) ?? edge));
    answer.columns.forEach(column => columns.set(getColumnId(column), column));
  }
  const all = [...edges.values()];
  const nodes = nameCells(mergeNodes(answers, all), all);
  const shownUrns = new Set(nodes.map(node => node.urn));
  return {
    focus: first.urn,
    nodes,
    // An edge without one of its nodes cannot be drawn.
    edges: all.filter(edge => shownUrns.has(edge.source) && shownUrns.has(edge.target)),
    columns: [...columns.values()],
    truncated: answers.some(answer => answer.truncated),
    frontier: first.frontier
  };
}

/** Removes the nodes of an answer that are not shown, and counts them as hidden neighbours. */
export function restrictAnswer(answer: Lineage, shownUrns: ReadonlySet<string>): Lineage {
  const edges = answer.edges.filter(edge => shownUrns.has(edge.source) && shownUrns.has(edge.target));
  const nodes = answer.nodes.filter(node => shownUrns.has(node.urn));
  return { ...answer, edges, nodes: countRemovedEdges(nodes, answer.edges, edges) };
}

/** Adds removed edges to the numbers of hidden neighbours. */
export function countRemovedEdges<N extends Pick<INode, 'urn' | 'notShown'>>(
  nodes: readonly N[],
  edgesBefore: readonly IEdge[],
  edgesAfter: readonly IEdge[]
): N[] {
  const before = collectNeighbours(edgesBefore);
  const after = collectNeighbours(edgesAfter);
  const countLost = (urn: string, side: Side): number => countShown(before, urn, side) - countShown(after, urn, side);
  return nodes.map(node => ({
    ...node,
    notShown: {
      ...node.notShown,
      upstream: node.notShown.upstream + countLost(node.urn, 'upstream'),
      downstream: node.notShown.downstream + countLost(node.urn, 'downstream')
    }
  }));
}

/** Returns the nodes on a shortest way from the focus to a node, over edges of either direction. */
export function findWay(graph: IGraph, urn: string): string[] {
  const neighbours = collectNeighbours(graph.edges);
  const before = new Map<string, string | null>([[graph.focus, null]]);
  for (const at of before.keys()) {
    for (const side of SIDES) {
      neighbours.get(at)?.[side].forEach(other => before.has(other) || before.set(other, at));
    }
  }
  const way: string[] = [];
  for (let at = before.has(urn) ? urn : null; at !== null; at = before.get(at) ?? null) {
    way.push(at);
  }
  return way;
}
