import type { IGraph, INode, Side } from './graph';
import { replaceEnds } from './edges';
import { collectNeighbours, countRemovedEdges } from './graph';
import { groupNodes } from './grouping';
import type { Grouping } from './grouping';

/** What the user chose to draw of a graph. */
export interface IFolding {
  grouping: Grouping;
  /** The groups that are drawn as their nodes, by URN. */
  openGroups: ReadonlySet<string>;
  /** The number of nodes drawn of each fan, by the URN of its cluster; others have one page. */
  pages: ReadonlyMap<string, number>;
  /** The collapsed sides, by `getSideId`. */
  collapsed: ReadonlySet<string>;
  /** Nodes that are drawn in any case, such as those of a path. */
  kept: ReadonlySet<string>;
}

export const NO_FOLDING: IFolding = {
  grouping: 'none',
  openGroups: new Set(),
  pages: new Map(),
  collapsed: new Set(),
  kept: new Set()
};

/** The number of neighbours on one side of a node that are drawn at first. */
export const FIRST_PAGE = 12;
/** The number of neighbours that are added at once. */
export const NEXT_PAGE = 50;
/** A cluster of fewer nodes would not save space. */
const MIN_CLUSTER = 5;

const SIDES = ['upstream', 'downstream'] as const;

/** Returns the identity of one side of a node. */
export function getSideId(urn: string, side: Side): string {
  return `${side} ${urn}`;
}

/** Returns the URN of the cluster on one side of a node. */
export function getClusterUrn(urn: string, side: Side): string {
  return `cluster:${getSideId(urn, side)}`;
}

/** Whether a node is a cluster of a fan, not a group by a property. */
export function isCluster(node: Pick<INode, 'urn'>): boolean {
  return node.urn.startsWith('cluster:');
}

interface IVisit {
  shown: Set<string>;
  /** The members of each cluster, and the cluster of each member. */
  clusters: Map<string, string[]>;
  clusterOf: Map<string, string>;
}

/** Walks from the focus; of a wide fan, the nodes beyond the page go to a cluster and are not followed. */
function visitNodes(graph: IGraph, folding: IFolding): IVisit {
  const rank = new Map(graph.nodes.map((node, index) => [node.urn, index]));
  const neighbours = collectNeighbours(graph.edges);
  const visit: IVisit = { shown: new Set([graph.focus]), clusters: new Map(), clusterOf: new Map() };
  const { shown, clusters, clusterOf } = visit;
  for (const urn of shown) {
    for (const side of SIDES) {
      if (folding.collapsed.has(getSideId(urn, side))) {
        continue;
      }
      const fresh = [...(neighbours.get(urn)?.[side] ?? [])].filter(
        other => !shown.has(other) && !clusterOf.has(other)
      );
      fresh.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
      const cluster = getClusterUrn(urn, side);
      const room = folding.pages.get(cluster) ?? FIRST_PAGE;
      const rest = fresh.slice(room).filter(other => !folding.kept.has(other));
      const hidden = new Set(rest.length < MIN_CLUSTER ? [] : rest);
      fresh.filter(other => !hidden.has(other)).forEach(other => shown.add(other));
      if (hidden.size > 0) {
        clusters.set(cluster, [...hidden]);
        hidden.forEach(other => clusterOf.set(other, cluster));
      }
    }
  }
  folding.kept.forEach(urn => rank.has(urn) && shown.add(urn));
  shown.forEach(urn => clusterOf.delete(urn));
  return visit;
}

function createCluster(urn: string, members: readonly INode[]): INode {
  const [first] = members as [INode, ...INode[]];
  const plain = members.flatMap(member => member.members ?? [member as NonNullable<INode['members']>[number]]);
  return {
    urn,
    type: 'group',
    namespace: first.namespace,
    name: urn,
    platform: null,
    level: first.level,
    deleted: false,
    notShown: { upstream: 0, downstream: 0 },
    members: plain
  };
}

/** Returns the part of a graph to draw: with groups as nodes, and wide fans as clusters. */
export function foldGraph(whole: IGraph, folding: IFolding): IGraph {
  const graph = groupNodes(whole, folding.grouping, folding.openGroups);
  const { shown, clusters, clusterOf } = visitNodes(graph, folding);
  const byUrn = new Map(graph.nodes.map(node => [node.urn, node]));
  const toEnd = (urn: string): string | undefined => (shown.has(urn) ? urn : clusterOf.get(urn));
  const edges = replaceEnds(graph.edges, toEnd).filter(edge => shown.has(edge.source) || shown.has(edge.target));
  const kept = graph.edges.filter(edge => toEnd(edge.source) !== undefined && toEnd(edge.target) !== undefined);
  const added = [...clusters].map(([urn, members]) =>
    createCluster(
      urn,
      members.filter(member => clusterOf.has(member)).flatMap(member => byUrn.get(member) ?? [])
    )
  );
  const nodes = countRemovedEdges(
    graph.nodes.filter(node => shown.has(node.urn)),
    graph.edges,
    kept
  );
  return { ...graph, nodes: [...nodes, ...added], edges };
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
