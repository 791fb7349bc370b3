import { createCluster, FIRST_PAGE, getClusterUrn, getSideId, MIN_CLUSTER } from './cluster';
import { replaceEnds } from './edges';
import type { IFolding } from './folding';
import type { IGraph } from './graph';
import { collectNeighbours, countRemovedEdges, SIDES } from './graph';
import { groupNodes } from './grouping';

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

/** Returns the part of a graph to draw: with groups as nodes, and wide fans as clusters. */
export function foldGraph(whole: IGraph, folding: IFolding): IGraph {
  const graph = groupNodes(whole, folding.grouping, folding.openGroups);
  const { shown, clusters, clusterOf } = visitNodes(graph, folding);
  if (shown.size === graph.nodes.length) {
    return graph;
  }
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
