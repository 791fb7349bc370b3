import type { IDigraph } from './layering';
import { findBackEdges, assignLayers, reverseEdges } from './layering';
import type { INeighbours, Rows } from './ordering';
import { orderRows } from './ordering';
import { computeCentres } from './positioning';

/** A location in the drawing, in pixels at zoom 1. */
export interface IPoint {
  x: number;
  y: number;
}

/** The result of the layout. */
export interface ILayout {
  /** The upper left corner of each node. */
  nodes: IPoint[];
  /** The points of each edge, from the right side of its source to the left side of its target. */
  routes: IPoint[][];
  /** Whether each edge runs backward, because it closes a cycle. */
  backward: boolean[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 172;
export const NODE_HEIGHT = 48;
const LAYER_GAP = 52;
const ROW_GAP = 22;
const BEND_SIZE = 16;

/** The graph with a bend in each layer that an edge passes, so that no edge crosses a node. */
interface ISplitGraph {
  count: number;
  layer: number[];
  edges: [number, number][];
  /** The bends of each original edge, from left to right. */
  bends: number[][];
}

function splitLongEdges(graph: IDigraph, layer: readonly number[], back: readonly boolean[]): ISplitGraph {
  const result: ISplitGraph = { count: graph.count, layer: [...layer], edges: [], bends: [] };
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

function listNeighbours(graph: ISplitGraph): INeighbours {
  const before: number[][] = Array.from({ length: graph.count }, () => []);
  const after: number[][] = Array.from({ length: graph.count }, () => []);
  graph.edges.forEach(([from, to]) => {
    after[from]!.push(to);
    before[to]!.push(from);
  });
  return { before, after };
}

/** Creates the first order of the rows by a traversal from left to right, which keeps connected nodes together. */
function createFirstRows(graph: ISplitGraph, neighbours: INeighbours): Rows {
  const rows: Rows = Array.from({ length: Math.max(-1, ...graph.layer) + 1 }, () => []);
  const visited = new Uint8Array(graph.count);
  const starts = Array.from({ length: graph.count }, (_, node) => node).sort(
    (a, b) => graph.layer[a]! - graph.layer[b]! || a - b
  );
  for (const start of starts) {
    const stack = [start];
    while (stack.length > 0) {
      const node = stack.pop()!;
      if (visited[node] === 0) {
        visited[node] = 1;
        rows[graph.layer[node]!]!.push(node);
        stack.push(...[...neighbours.after[node]!].reverse());
      }
    }
  }
  return rows;
}

function getLayerX(layer: number): number {
  return layer * (NODE_WIDTH + LAYER_GAP);
}

/** Returns the points below a node, from right to left, where a backward edge turns. */
function routeBelow(node: IPoint): IPoint[] {
  const y = node.y + NODE_HEIGHT + ROW_GAP / 2;
  return [
    { x: node.x + NODE_WIDTH, y },
    { x: node.x, y }
  ];
}

function createRoute(source: IPoint, target: IPoint, bends: readonly IPoint[], back: boolean): IPoint[] {
  const start = { x: source.x + NODE_WIDTH, y: source.y + NODE_HEIGHT / 2 };
  const end = { x: target.x, y: target.y + NODE_HEIGHT / 2 };
  const between = bends.flatMap(bend => [bend, { x: bend.x + NODE_WIDTH, y: bend.y }]);
  if (!back) {
    return [start, ...between, end];
  }
  const turn =
    source === target ? routeBelow(source) : [...routeBelow(source), ...between.reverse(), ...routeBelow(target)];
  return [start, ...turn, end];
}

/** Computes a layered layout, left to right, for graphs that may contain cycles. Deterministic. */
export function computeLayout(graph: IDigraph): ILayout {
  const backward = findBackEdges(graph);
  const split = splitLongEdges(graph, assignLayers(reverseEdges(graph, backward)), backward);
  const neighbours = listNeighbours(split);
  const rows = orderRows(createFirstRows(split, neighbours), neighbours, split.count);
  const getHeight = (node: number): number => (node < graph.count ? NODE_HEIGHT + ROW_GAP : BEND_SIZE);
  const centre = computeCentres(rows, neighbours, getHeight);
  const top = Math.min(0, ...centre.slice(0, graph.count).map(y => y - NODE_HEIGHT / 2), ...centre);
  const placeNode = (node: number, half: number): IPoint => ({
    x: getLayerX(split.layer[node]!),
    y: Math.round(centre[node]! - half - top)
  });
  const nodes = Array.from({ length: graph.count }, (_, node) => placeNode(node, NODE_HEIGHT / 2));
  const routes = graph.edges.map(([source, target], index) =>
    createRoute(
      nodes[source]!,
      nodes[target]!,
      split.bends[index]!.map(bend => placeNode(bend, 0)),
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
