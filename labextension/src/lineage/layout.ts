import type { IDigraph } from './layering';
import { backEdges, layers, turned } from './layering';
import type { INeighbours, Rows } from './ordering';
import { ordered } from './ordering';
import { heights } from './placing';

/** A place in the drawing, in pixels at zoom 1. */
export interface IPoint {
  x: number;
  y: number;
}

/** Where everything goes. */
export interface ILayout {
  /** Upper left corner of every node. */
  nodes: IPoint[];
  /** Points every edge passes, from the right side of its source to the left side of its target. */
  routes: IPoint[][];
  /** Edges that run against the direction of reading, because they close a cycle. */
  backward: boolean[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 172;
export const NODE_HEIGHT = 48;
const LAYER_GAP = 52;
const ROW_GAP = 22;
const BEND_SIZE = 16;

/** The graph with a bend in every layer that an edge passes, so that no edge runs through a node. */
interface IBent {
  count: number;
  layer: number[];
  edges: [number, number][];
  /** For every original edge its bends, from left to right. */
  bends: number[][];
}

function bent(graph: IDigraph, layer: readonly number[], back: readonly boolean[]): IBent {
  const result: IBent = { count: graph.count, layer: [...layer], edges: [], bends: [] };
  graph.edges.forEach(([source, target], index) => {
    const [from, to] = back[index] ? [target, source] : [source, target];
    const bends: number[] = [];
    let last = from;
    for (let at = layer[from]! + 1; at < layer[to]!; at++) {
      result.layer.push(at);
      bends.push(result.count);
      result.edges.push([last, result.count]);
      last = result.count;
      result.count += 1;
    }
    if (source !== target) {
      result.edges.push([last, to]);
    }
    result.bends.push(bends);
  });
  return result;
}

function neighboursOf(graph: IBent): INeighbours {
  const before: number[][] = Array.from({ length: graph.count }, () => []);
  const after: number[][] = Array.from({ length: graph.count }, () => []);
  graph.edges.forEach(([from, to]) => {
    after[from]!.push(to);
    before[to]!.push(from);
  });
  return { before, after };
}

/** First rows: in the order of a walk from left to right, so that what belongs together starts together. */
function firstRows(graph: IBent, neighbours: INeighbours): Rows {
  const rows: Rows = Array.from({ length: Math.max(-1, ...graph.layer) + 1 }, () => []);
  const seen = new Uint8Array(graph.count);
  const starts = Array.from({ length: graph.count }, (_, node) => node).sort(
    (a, b) => graph.layer[a]! - graph.layer[b]! || a - b
  );
  for (const start of starts) {
    const stack = [start];
    while (stack.length > 0) {
      const node = stack.pop()!;
      if (seen[node] === 0) {
        seen[node] = 1;
        rows[graph.layer[node]!]!.push(node);
        stack.push(...[...neighbours.after[node]!].reverse());
      }
    }
  }
  return rows;
}

function xOf(layer: number): number {
  return layer * (NODE_WIDTH + LAYER_GAP);
}

/** The way below a node, from its right to its left: where an edge turns that runs backward. */
function below(node: IPoint): IPoint[] {
  const y = node.y + NODE_HEIGHT + ROW_GAP / 2;
  return [
    { x: node.x + NODE_WIDTH, y },
    { x: node.x, y }
  ];
}

function routeOf(source: IPoint, target: IPoint, bends: readonly IPoint[], back: boolean): IPoint[] {
  const start = { x: source.x + NODE_WIDTH, y: source.y + NODE_HEIGHT / 2 };
  const end = { x: target.x, y: target.y + NODE_HEIGHT / 2 };
  const between = bends.flatMap(bend => [bend, { x: bend.x + NODE_WIDTH, y: bend.y }]);
  if (!back) {
    return [start, ...between, end];
  }
  const turn = source === target ? below(source) : [...below(source), ...between.reverse(), ...below(target)];
  return [start, ...turn, end];
}

/** Layered layout, left to right, for graphs that may hold cycles. Deterministic. */
export function layout(graph: IDigraph): ILayout {
  const backward = backEdges(graph);
  const whole = bent(graph, layers(turned(graph, backward)), backward);
  const neighbours = neighboursOf(whole);
  const rows = ordered(firstRows(whole, neighbours), neighbours, whole.count);
  const size = (node: number): number => (node < graph.count ? NODE_HEIGHT + ROW_GAP : BEND_SIZE);
  const centre = heights(rows, neighbours, size);
  const top = Math.min(0, ...centre.slice(0, graph.count).map(y => y - NODE_HEIGHT / 2), ...centre);
  const place = (node: number, half: number): IPoint => ({
    x: xOf(whole.layer[node]!),
    y: Math.round(centre[node]! - half - top)
  });
  const nodes = Array.from({ length: graph.count }, (_, node) => place(node, NODE_HEIGHT / 2));
  const routes = graph.edges.map(([source, target], index) =>
    routeOf(
      nodes[source]!,
      nodes[target]!,
      whole.bends[index]!.map(bend => place(bend, 0)),
      backward[index]!
    )
  );
  return {
    nodes,
    routes,
    backward,
    width: Math.max(0, ...nodes.map(node => node.x + NODE_WIDTH)),
    height: Math.max(0, ...nodes.map(node => node.y + NODE_HEIGHT), ...routes.flat().map(point => point.y))
  };
}
