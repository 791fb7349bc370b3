import type { IGraph } from '../../lineage/graph';
import { getEdgeId } from '../../lineage/graph';

/** What others added to a graph while it is shown. */
export interface INews {
  /** The new nodes and edges, by URNs and ids. */
  ids: ReadonlySet<string>;
  nodes: number;
  edges: number;
}

/** Compares a graph with the one before a change of the catalog; null if nothing was added. */
export function findNews(before: IGraph, after: IGraph): INews | null {
  const urns = new Set(before.nodes.map(node => node.urn));
  const edgeIds = new Set(before.edges.map(getEdgeId));
  const nodes = after.nodes.map(node => node.urn).filter(urn => !urns.has(urn));
  const edges = after.edges.map(getEdgeId).filter(id => !edgeIds.has(id));
  const ids = new Set([...nodes, ...edges]);
  return ids.size > 0 ? { ids, nodes: nodes.length, edges: edges.length } : null;
}
