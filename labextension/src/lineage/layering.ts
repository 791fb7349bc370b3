/** A directed graph over the numbers 0 to count - 1. */
export interface IDigraph {
  count: number;
  edges: readonly (readonly [number, number])[];
  /** The height of each node in pixels; those of cards without columns if absent. */
  heights?: readonly number[];
}

function listOutgoingEdges(graph: IDigraph): number[][] {
  const lists: number[][] = Array.from({ length: graph.count }, () => []);
  graph.edges.forEach((edge, index) => lists[edge[0]]!.push(index));
  return lists;
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
  const next = new Uint32Array(graph.count); // the number of visited edges of each node
  for (const root of sortEntriesFirst(graph)) {
    const path = state[root] === 0 ? [root] : [];
    state[root] ||= 1;
    while (path.length > 0) {
      const node = path[path.length - 1]!;
      const edge = out[node]![next[node]!];
      next[node]! += 1;
      if (edge === undefined) {
        state[node] = 2;
        path.pop();
        continue;
      }
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
  const all = Array.from({ length: graph.count }, (_, node) => node);
  return [...all.filter(node => hasIncoming[node] === 0), ...all.filter(node => hasIncoming[node] === 1)];
}

/** Returns the graph with the given edges reversed, and without loops. */
export function reverseEdges(graph: IDigraph, back: readonly boolean[]): IDigraph {
  const edges = graph.edges
    .map((edge, index) => (back[index] ? ([edge[1], edge[0]] as const) : edge))
    .filter(edge => edge[0] !== edge[1]);
  return { count: graph.count, edges };
}

/** Assigns a layer to each node of an acyclic graph: one more than the last of its predecessors. */
export function assignLayers(graph: IDigraph): number[] {
  const out = listOutgoingEdges(graph);
  const remaining = new Array<number>(graph.count).fill(0);
  graph.edges.forEach(edge => (remaining[edge[1]]! += 1));
  const layer = new Array<number>(graph.count).fill(0);
  const ready = remaining.flatMap((count, node) => (count === 0 ? [node] : []));
  for (const node of ready) {
    for (const edge of out[node]!) {
      const to = graph.edges[edge]![1];
      layer[to] = Math.max(layer[to]!, layer[node]! + 1);
      remaining[to]! -= 1;
      if (remaining[to] === 0) {
        ready.push(to);
      }
    }
  }
  return pullRootsRight(graph, layer, out);
}

/** Moves roots to the layer before their first successor. */
function pullRootsRight(graph: IDigraph, layer: number[], out: number[][]): number[] {
  const targets = new Set(graph.edges.map(edge => edge[1]));
  return layer.map((at, node) => {
    const next = out[node]!.reduce((least, edge) => Math.min(least, layer[graph.edges[edge]![1]]!), Infinity);
    return targets.has(node) || next === Infinity ? at : Math.max(at, next - 1);
  });
}
