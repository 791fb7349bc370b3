import type { INeighbours, INumberLists } from './adjacency';

/** Nodes by layer; each layer from top to bottom. */
export type Rows = number[][];

const SWEEPS = 12;
/** Above this number of nodes and bends, fewer passes are made, so that a layout takes a fifth of a second at most. */
export const LARGE = 4000;
const LARGE_SWEEPS = 4;

function getPositions(rows: Rows, count: number): Uint32Array {
  const place = new Uint32Array(count);
  rows.forEach(row => row.forEach((node, index) => (place[node] = index)));
  return place;
}

/** Returns the mean of the positions of the neighbours of a node; the fallback without neighbours. */
export function computeMean(lists: INumberLists, node: number, positions: ArrayLike<number>, fallback: number): number {
  const start = lists.starts[node]!;
  const end = lists.starts[node + 1]!;
  let sum = 0;
  for (let at = start; at < end; at++) {
    sum += positions[lists.values[at]!]!;
  }
  return start === end ? fallback : sum / (end - start);
}

/**
 * Returns the number of crossings between one layer and the next: the inversions of the ends of its edges.
 *
 * A binary indexed tree counts the ends below each one, so that thousands of edges are counted in no time.
 */
function countLayerCrossings(row: readonly number[], after: INumberLists, place: Uint32Array, width: number): number {
  const tree = new Uint32Array(width + 1);
  let crossings = 0;
  let total = 0;
  for (const node of row) {
    const start = after.starts[node]!;
    const end = after.starts[node + 1]!;
    for (let edge = start; edge < end; edge++) {
      let notAbove = 0;
      for (let at = place[after.values[edge]!]! + 1; at > 0; at -= at & -at) {
        notAbove += tree[at]!;
      }
      crossings += total - notAbove;
    }
    for (let edge = start; edge < end; edge++) {
      for (let at = place[after.values[edge]!]! + 1; at <= width; at += at & -at) {
        tree[at]! += 1;
      }
    }
    total += end - start;
  }
  return crossings;
}

/** Returns the number of pairs of edges that cross. */
export function countCrossings(rows: Rows, neighbours: INeighbours, count: number): number {
  const place = getPositions(rows, count);
  return rows.reduce(
    (sum, row, layer) => sum + countLayerCrossings(row, neighbours.after, place, rows[layer + 1]?.length ?? 0),
    0
  );
}

function sweepRows(rows: Rows, lists: INumberLists, count: number, forward: boolean): Rows {
  const next = rows.map(row => [...row]);
  const place = getPositions(next, count);
  const target = new Float64Array(count);
  const order = next.map((_, index) => (forward ? index : next.length - 1 - index));
  for (const at of order) {
    const row = next[at]!;
    row.forEach((node, index) => (target[node] = computeMean(lists, node, place, index)));
    row.sort((a, b) => target[a]! - target[b]! || place[a]! - place[b]!);
    row.forEach((node, index) => (place[node] = index));
  }
  return next;
}

/** Orders rows with few crossings: the best result of barycentre sweeps in both directions. */
export function orderRows(rows: Rows, neighbours: INeighbours, count: number): Rows {
  let best = rows;
  let fewest = countCrossings(rows, neighbours, count);
  let current = rows;
  const sweeps = count > LARGE ? LARGE_SWEEPS : SWEEPS;
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const forward = sweep % 2 === 0;
    current = sweepRows(current, forward ? neighbours.before : neighbours.after, count, forward);
    const crossings = countCrossings(current, neighbours, count);
    if (crossings < fewest) {
      best = current;
      fewest = crossings;
    }
  }
  return best;
}
