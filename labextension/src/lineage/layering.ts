/** A directed graph over the numbers 0 to count - 1. */
export interface IDigraph {
  count: number;
  edges: readonly (readonly [number, number])[];
}

function successors(graph: IDigraph): number[][] {
  const lists: number[][] = Array.from({ length: graph.count }, () => []);
  graph.edges.forEach(([from], index) => lists[from]?.push(index));
  return lists;
}

/**
 * Which edges to turn round so that no cycle is left: those that close one in a depth-first walk.
 *
 * Edges from a node to itself are turned too; they take no part in layering.
 */
export function backEdges(graph: IDigraph): boolean[] {
  const out = successors(graph);
  const back = graph.edges.map(([from, to]) => from === to);
  const state = new Uint8Array(graph.count); // 0 new, 1 on the way, 2 done
  const roots = [...entryFirst(graph)];
  for (const root of roots) {
    const way: { node: number; next: number }[] = state[root] === 0 ? [{ node: root, next: 0 }] : [];
    state[root] = state[root] === 0 ? 1 : state[root]!;
    while (way.length > 0) {
      const top = way[way.length - 1]!;
      const edge = out[top.node]![top.next];
      top.next += 1;
      if (edge === undefined) {
        state[top.node] = 2;
        way.pop();
        continue;
      }
      const to = graph.edges[edge]![1];
      if (state[to] === 1) {
        back[edge] = true;
      } else if (state[to] === 0) {
        state[to] = 1;
        way.push({ node: to, next: 0 });
      }
    }
  }
  return back;
}

/** Nodes nothing leads to come first: a walk from there turns round the fewest edges. */
function entryFirst(graph: IDigraph): number[] {
  const entered = new Uint8Array(graph.count);
  graph.edges.forEach(([from, to]) => {
    if (from !== to) {
      entered[to] = 1;
    }
  });
  const all = Array.from({ length: graph.count }, (_, node) => node);
  return [...all.filter(node => entered[node] === 0), ...all.filter(node => entered[node] === 1)];
}

/** The graph with the given edges turned round, and without loops. */
export function turned(graph: IDigraph, back: readonly boolean[]): IDigraph {
  const edges = graph.edges
    .map(([from, to], index) => (back[index] ? ([to, from] as const) : ([from, to] as const)))
    .filter(([from, to]) => from !== to);
  return { count: graph.count, edges };
}

/** Layer of every node of a graph without cycles: one more than the last of its predecessors. */
export function layers(graph: IDigraph): number[] {
  const out = successors(graph);
  const waiting = new Array<number>(graph.count).fill(0);
  graph.edges.forEach(([, to]) => (waiting[to]! += 1));
  const layer = new Array<number>(graph.count).fill(0);
  const ready = waiting.flatMap((count, node) => (count === 0 ? [node] : []));
  for (const node of ready) {
    for (const edge of out[node]!) {
      const to = graph.edges[edge]![1];
      layer[to] = Math.max(layer[to]!, layer[node]! + 1);
      waiting[to]! -= 1;
      if (waiting[to] === 0) {
        ready.push(to);
      }
    }
  }
  return pulled(graph, layer, out);
}

/** Roots stand right before what they lead to, not at the far left. */
function pulled(graph: IDigraph, layer: number[], out: number[][]): number[] {
  const entered = new Set(graph.edges.map(([, to]) => to));
  return layer.map((at, node) => {
    const next = out[node]!.map(edge => layer[graph.edges[edge]![1]]!);
    return entered.has(node) || next.length === 0 ? at : Math.max(at, Math.min(...next) - 1);
  });
}
