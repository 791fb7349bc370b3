import type { INumberLists } from './adjacency';
import { groupByNode } from './adjacency';

/** A directed graph over the numbers 0 to count - 1. */
export interface IDigraph {
  count: number;
  edges: readonly (readonly [number, number])[];
  /** The height of each node in pixels; those of cards without columns if absent. */
  heights?: readonly number[];
}

/** Lists the outgoing edges of each node by their indices. */
function listOutgoingEdges(graph: IDigraph): INumberLists {
  const sources = new Uint32Array(graph.edges.length);
  graph.edges.forEach((edge, index) => (sources[index] = edge[0]));
  return groupByNode(graph.count, sources);
}

/**
 * Finds the edges to reverse so that no cycle remains: those that close one in a depth-first search.
 *
 * Edges from a node to itself are included; they take no part in layering.
 */
export function findBackEdges(graph: IDigraph): boolean[] {
  const out = listOutgoingEdges(graph);
  const back = graph.edges.map(edge => edge[0] === edge[1]);
  const state = new Uint8Array(graph.count); // 0 unvisited, 1 on the path, 2 done
  const next = out.starts.slice(); // the place of the next edge of each node
  for (const root of sortEntriesFirst(graph)) {
    const path = state[root] === 0 ? [root] : [];
    state[root] ||= 1;
    while (path.length > 0) {
      const node = path[path.length - 1]!;
      const at = next[node]!++;
      if (at >= out.starts[node + 1]!) {
        state[node] = 2;
        path.pop();
        continue;
      }
      const edge = out.values[at]!;
      const to = graph.edges[edge]![1];
      if (state[to] === 1) {
        back[edge] = true;
      } else if (state[to] === 0) {
        state[to] = 1;
        path.push(to);
      }
    }
  }
  return back;
}

/** Sorts nodes without incoming edges first: a search from there reverses the fewest edges. */
function sortEntriesFirst(graph: IDigraph): number[] {
  const hasIncoming = new Uint8Array(graph.count);
  for (const edge of graph.edges) {
    if (edge[0] !== edge[1]) {
      hasIncoming[edge[1]] = 1;
    }
  }
  const sorted: number[] = [];
  for (const incoming of [0, 1]) {
    hasIncoming.forEach((value, node) => value === incoming && sorted.push(node));
  }
  return sorted;
}

/** Returns the graph with the given edges reversed, and without loops. */
export function reverseEdges(graph: IDigraph, back: readonly boolean[]): IDigraph {
  const edges: (readonly [number, number])[] = [];
  graph.edges.forEach((edge, index) => {
    if (edge[0] !== edge[1]) {
      edges.push(back[index] ? [edge[1], edge[0]] : edge);
    }
  });
  return { count: graph.count, edges };
}

/** Assigns a layer to each node of an acyclic graph: one more than the last of its predecessors. */
export function assignLayers(graph: IDigraph): number[] {
  const out = listOutgoingEdges(graph);
  const remaining = new Uint32Array(graph.count);
  for (const edge of graph.edges) {
    remaining[edge[1]]! += 1;
  }
  const isRoot = Uint8Array.from(remaining, incoming => (incoming === 0 ? 1 : 0));
  const layer = new Array<number>(graph.count).fill(0);
  const ready: number[] = [];
  isRoot.forEach((root, node) => root === 1 && ready.push(node));
  for (const node of ready) {
    for (let at = out.starts[node]!; at < out.starts[node + 1]!; at++) {
      const to = graph.edges[out.values[at]!]![1];
      layer[to] = Math.max(layer[to]!, layer[node]! + 1);
      remaining[to]! -= 1;
      if (remaining[to] === 0) {
        ready.push(to);
      }
    }
  }
  return pullRootsRight(graph, layer, out, isRoot);
}

/** Moves roots to the layer before their first successor. */
function pullRootsRight(graph: IDigraph, layer: number[], out: INumberLists, isRoot: Uint8Array): number[] {
  return layer.map((current, node) => {
    let next = Infinity;
    for (let at = out.starts[node]!; isRoot[node] === 1 && at < out.starts[node + 1]!; at++) {
      next = Math.min(next, layer[graph.edges[out.values[at]!]![1]]!);
    }
    return next === Infinity ? current : Math.max(current, next - 1);
  });
}
