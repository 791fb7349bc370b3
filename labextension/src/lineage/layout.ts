import type { INeighbours } from './adjacency';
import { listNeighbours } from './adjacency';
import type { IDigraph } from './layering';
import { findBackEdges, assignLayers, reverseEdges } from './layering';
import type { Rows } from './ordering';
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

export const NODE_WIDTH = 184;
/** The height of a card without columns, and of the head of a card with columns. */
export const NODE_HEIGHT = 48;
/** The height of a column in a card. */
export const COLUMN_HEIGHT = 22;
const LAYER_GAP = 64;
const ROW_GAP = 22;
const BEND_SIZE = 16;

/** The graph with a bend in each layer that an edge passes, so that no edge crosses a node. */
interface ISplitGraph {
  count: number;
  layer: number[];
  /** The ends of the edges, each from one layer to the next. */
  sources: number[];
  targets: number[];
  /** The first bend of each original edge; the following ones are numbered from left to right. */
  firstBends: Uint32Array;
}

function splitLongEdges(graph: IDigraph, layer: readonly number[], back: readonly boolean[]): ISplitGraph {
  const result: ISplitGraph = {
    count: graph.count,
    layer: [...layer],
    sources: [],
    targets: [],
    firstBends: new Uint32Array(graph.edges.length + 1)
  };
  const addEdge = (source: number, target: number): void => {
    result.sources.push(source);
    result.targets.push(target);
  };
  graph.edges.forEach((edge, index) => {
    const from = edge[back[index] ? 1 : 0];
    const to = edge[back[index] ? 0 : 1];
    let last = from;
    for (let at = layer[from]! + 1; at < layer[to]!; at++) {
      result.layer.push(at);
      addEdge(last, result.count);
      last = result.count;
      result.count += 1;
    }
    if (from !== to) {
      addEdge(last, to);
    }
    result.firstBends[index + 1] = result.count;
  });
  result.firstBends[0] = graph.count;
  return result;
}

/** Returns the greatest of many values: too many for the arguments of `Math.max`. */
function findMaximum(values: Iterable<number>, least: number): number {
  let greatest = least;
  for (const value of values) {
    greatest = Math.max(greatest, value);
  }
  return greatest;
}

/** Creates the first order of the rows by a traversal from left to right, which keeps connected nodes together. */
function createFirstRows(graph: ISplitGraph, neighbours: INeighbours): Rows {
  const createRows = (): Rows => Array.from({ length: findMaximum(graph.layer, -1) + 1 }, () => []);
  const [rows, starts] = [createRows(), createRows()];
  graph.layer.forEach((layer, node) => starts[layer]!.push(node));
  const { starts: first, values: next } = neighbours.after;
  const visited = new Uint8Array(graph.count);
  const stack: number[] = [];
  for (const start of starts.flat()) {
    stack.push(start);
    while (stack.length > 0) {
      const node = stack.pop()!;
      if (visited[node] === 0) {
        visited[node] = 1;
        rows[graph.layer[node]!]!.push(node);
        for (let at = first[node + 1]! - 1; at >= first[node]!; at--) {
          stack.push(next[at]!);
        }
      }
    }
  }
  return rows;
}

function getLayerX(layer: number): number {
  return layer * (NODE_WIDTH + LAYER_GAP);
}

/** Returns the points below a node, from right to left, where a backward edge turns. */
function routeBelow(node: IPoint, height: number): IPoint[] {
  const y = node.y + height + ROW_GAP / 2;
  return [
    { x: node.x + NODE_WIDTH, y },
    { x: node.x, y }
  ];
}

/** An end of a route: the upper left corner of a node and its height. */
type End = IPoint & { height: number };

function createRoute(source: End, target: End, bends: readonly IPoint[], back: boolean): IPoint[] {
  const start = { x: source.x + NODE_WIDTH, y: source.y + NODE_HEIGHT / 2 };
  const end = { x: target.x, y: target.y + NODE_HEIGHT / 2 };
  const between = bends.flatMap(bend => [bend, { x: bend.x + NODE_WIDTH, y: bend.y }]);
  if (!back) {
    return [start, ...between, end];
  }
  const below = routeBelow(source, source.height);
  const turn = source === target ? below : [...below, ...between.reverse(), ...routeBelow(target, target.height)];
  return [start, ...turn, end];
}

/** Computes a layered layout, left to right, for graphs that may contain cycles. Deterministic. */
export function computeLayout(graph: IDigraph): ILayout {
  const backward = findBackEdges(graph);
  const split = splitLongEdges(graph, assignLayers(reverseEdges(graph, backward)), backward);
  const neighbours = listNeighbours(split.count, split.sources, split.targets);
  const rows = orderRows(createFirstRows(split, neighbours), neighbours, split.count);
  const getHeight = (node: number): number => graph.heights?.[node] ?? NODE_HEIGHT;
  const getRoom = (node: number): number => (node < graph.count ? getHeight(node) + ROW_GAP : BEND_SIZE);
  const centre = computeCentres(rows, neighbours, getRoom);
  const getHalf = (node: number): number => (node < graph.count ? getHeight(node) / 2 : 0);
  let top = 0;
  centre.forEach((y, node) => (top = Math.min(top, y - getHalf(node))));
  const placeNode = (node: number): IPoint => ({
    x: getLayerX(split.layer[node]!),
    y: Math.round(centre[node]! - getHalf(node) - top)
  });
  const ends = Array.from({ length: graph.count }, (_, node): End => ({ ...placeNode(node), height: getHeight(node) }));
  const routes = graph.edges.map((edge, index) => {
    const bends: IPoint[] = [];
    for (let bend = split.firstBends[index]!; bend < split.firstBends[index + 1]!; bend++) {
      bends.push(placeNode(bend));
    }
    return createRoute(ends[edge[0]]!, ends[edge[1]]!, bends, backward[index]!);
  });
  return { nodes: ends.map(({ x, y }) => ({ x, y })), routes, backward, ...computeSize(ends, routes) };
}

/** Returns the size of the drawing: that of its nodes, and of edges that turn below them. */
function computeSize(nodes: readonly End[], routes: readonly IPoint[][]): Pick<ILayout, 'width' | 'height'> {
  const size = { width: 0, height: 0 };
  nodes.forEach(({ x, y, height }) => {
    size.width = Math.max(size.width, x + NODE_WIDTH);
    size.height = Math.max(size.height, y + height);
  });
  routes.forEach(route => route.forEach(({ y }) => (size.height = Math.max(size.height, y))));
  return size;
}
