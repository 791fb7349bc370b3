import type { INeighbours, INumberLists } from './adjacency';
import type { Rows } from './ordering';
import { computeMean, LARGE } from './ordering';

const ROUNDS = 8;
const LARGE_ROUNDS = 4;

/**
 * Fits positions to targets, in the given order and at least `gaps[i]` after the previous one.
 *
 * Least squares under an order is isotonic regression; pool-adjacent-violators solves it in one pass.
 */
export function fitPositions(targets: ArrayLike<number>, gaps: ArrayLike<number>): Float64Array {
  const positions = new Float64Array(targets.length);
  // The blocks of positions that move together: the sum of their shifts, and their number.
  const sums = new Float64Array(targets.length);
  const sizes = new Uint32Array(targets.length);
  let blocks = 0;
  let offset = 0;
  for (let index = 0; index < targets.length; index++) {
    offset += index === 0 ? 0 : gaps[index]!;
    positions[index] = offset;
    let sum = targets[index]! - offset;
    let size = 1;
    while (blocks > 0 && sums[blocks - 1]! / sizes[blocks - 1]! > sum / size) {
      blocks -= 1;
      sum += sums[blocks]!;
      size += sizes[blocks]!;
    }
    sums[blocks] = sum;
    sizes[blocks] = size;
    blocks += 1;
  }
  let index = 0;
  for (let block = 0; block < blocks; block++) {
    const shift = sums[block]! / sizes[block]!;
    for (const end = index + sizes[block]!; index < end; index++) {
      positions[index]! += shift;
    }
  }
  return positions;
}

/** Returns the least distance of each node of a row to the one above it. */
function computeGaps(row: readonly number[], getHeight: (node: number) => number): Float64Array {
  const gaps = new Float64Array(row.length);
  for (let index = 1; index < row.length; index++) {
    gaps[index] = (getHeight(row[index - 1]!) + getHeight(row[index]!)) / 2;
  }
  return gaps;
}

/** Computes the vertical centre of each node: near its neighbours, in the order of its row, without overlap. */
export function computeCentres(rows: Rows, neighbours: INeighbours, getHeight: (node: number) => number): Float64Array {
  const y = new Float64Array(neighbours.before.starts.length - 1);
  const gaps = rows.map(row => computeGaps(row, getHeight));
  const placeRow = (layer: number, positions: Float64Array): void =>
    rows[layer]!.forEach((node, index) => (y[node] = positions[index]!));
  const moveRow = (layer: number, lists: INumberLists): void => {
    const targets = new Float64Array(rows[layer]!.length);
    rows[layer]!.forEach((node, index) => (targets[index] = computeMean(lists, node, y, y[node]!)));
    placeRow(layer, fitPositions(targets, gaps[layer]!));
  };
  rows.forEach((_, layer) => {
    let at = 0;
    placeRow(
      layer,
      gaps[layer]!.map(gap => (at += gap))
    );
  });
  const rounds = y.length > LARGE ? LARGE_ROUNDS : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    for (let layer = 0; layer < rows.length; layer++) {
      moveRow(layer, neighbours.before);
    }
    for (let layer = rows.length - 1; layer >= 0; layer--) {
      moveRow(layer, neighbours.after);
    }
  }
  return y;
}
