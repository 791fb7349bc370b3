import type { IDigraph } from './layering';
import type { ILayout, IPoint } from './layout';

/** A graph as arrays of numbers, which are moved to a worker instead of being copied object by object. */
export interface IPackedGraph {
  count: number;
  /** The source and the target of each edge. */
  ends: Uint32Array;
  heights: Float64Array | null;
}

/** A layout as arrays of numbers. */
export interface IPackedLayout {
  /** The coordinates of the nodes. */
  nodes: Float64Array;
  /** The coordinates of the points of all edges. */
  points: Float64Array;
  /** The number of points of each edge. */
  counts: Uint32Array;
  /** 1 for each edge that runs backward. */
  backward: Uint8Array;
  width: number;
  height: number;
}

/** Returns the buffers of a packed graph or layout, which a message moves. */
export function listBuffers(packed: IPackedGraph | IPackedLayout): ArrayBuffer[] {
  return Object.values(packed).flatMap((value: unknown) =>
    ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : []
  );
}

/** Packs a graph for a message. */
export function packGraph({ count, edges, heights }: IDigraph): IPackedGraph {
  const ends = new Uint32Array(2 * edges.length);
  edges.forEach(([source, target], index) => {
    ends[2 * index] = source;
    ends[2 * index + 1] = target;
  });
  return { count, ends, heights: heights ? Float64Array.from(heights) : null };
}

/** Returns the graph of a message. */
export function unpackGraph({ count, ends, heights }: IPackedGraph): IDigraph {
  const edges = Array.from(
    { length: ends.length / 2 },
    (_, index) => [ends[2 * index]!, ends[2 * index + 1]!] as const
  );
  return { count, edges, ...(heights ? { heights: [...heights] } : {}) };
}

function packPoints(lists: readonly (readonly IPoint[])[]): Float64Array {
  const coordinates = new Float64Array(2 * lists.reduce((sum, points) => sum + points.length, 0));
  let at = 0;
  for (const points of lists) {
    for (const point of points) {
      coordinates[at++] = point.x;
      coordinates[at++] = point.y;
    }
  }
  return coordinates;
}

function unpackPoints(coordinates: Float64Array, start: number, count: number): IPoint[] {
  return Array.from({ length: count }, (_, index) => ({
    x: coordinates[2 * (start + index)]!,
    y: coordinates[2 * (start + index) + 1]!
  }));
}

/** Packs a layout for a message. */
export function packLayout({ nodes, routes, backward, width, height }: ILayout): IPackedLayout {
  return {
    nodes: packPoints([nodes]),
    points: packPoints(routes),
    counts: Uint32Array.from(routes, route => route.length),
    backward: Uint8Array.from(backward, Number),
    width,
    height
  };
}

/** Returns the layout of a message. */
export function unpackLayout({ nodes, points, counts, backward, width, height }: IPackedLayout): ILayout {
  let start = 0;
  const routes = Array.from(counts, count => {
    const route = unpackPoints(points, start, count);
    start += count;
    return route;
  });
  return {
    nodes: unpackPoints(nodes, 0, nodes.length / 2),
    routes,
    backward: Array.from(backward, Boolean),
    width,
    height
  };
}
