import type { INeighbours, Rows } from './ordering';
import { LARGE } from './ordering';

const ROUNDS = 8;
const LARGE_ROUNDS = 4;

interface IBlock {
  sum: number;
  count: number;
}

/**
 * Fits positions to targets, in the given order and at least `gaps[i]` after the previous one.
 *
 * Least squares under an order is isotonic regression; pool-adjacent-violators solves it in one pass.
 */
export function fitPositions(targets: readonly number[], gaps: readonly number[]): number[] {
  let offset = 0;
  const offsets = targets.map((_, index) => (offset += index === 0 ? 0 : gaps[index]!));
  const blocks: IBlock[] = [];
  targets.forEach((target, index) => {
    blocks.push({ sum: target - offsets[index]!, count: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1]!;
      const before = blocks[blocks.length - 2]!;
      if (before.sum / before.count <= last.sum / last.count) {
        break;
      }
      before.sum += last.sum;
      before.count += last.count;
      blocks.pop();
    }
  });
  let index = 0;
  for (const block of blocks) {
    for (let member = 0; member < block.count; member++) {
      offsets[index]! += block.sum / block.count;
      index += 1;
    }
  }
  return offsets;
}

function computeTarget(nodes: readonly number[], y: readonly number[], fallback: number): number {
  return nodes.length === 0 ? fallback : nodes.reduce((sum, node) => sum + y[node]!, 0) / nodes.length;
}

/** Computes the vertical centre of each node: near its neighbours, in the order of its row, without overlap. */
export function computeCentres(rows: Rows, neighbours: INeighbours, getHeight: (node: number) => number): number[] {
  const y: number[] = [];
  const getGaps = (row: readonly number[]): number[] =>
    row.map((node, index) => (index === 0 ? 0 : (getHeight(row[index - 1]!) + getHeight(node)) / 2));
  rows.forEach(row => {
    let at = 0;
    getGaps(row).forEach((gap, index) => {
      at += gap;
      y[row[index]!] = at;
    });
  });
  const moveRow = (row: readonly number[], lists: readonly (readonly number[])[]): void => {
    const targets = row.map(node => computeTarget(lists[node]!, y, y[node]!));
    fitPositions(targets, getGaps(row)).forEach((value, index) => (y[row[index]!] = value));
  };
  const rounds = y.length > LARGE ? LARGE_ROUNDS : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    rows.forEach(row => moveRow(row, neighbours.before));
    for (let layer = rows.length - 1; layer >= 0; layer--) {
      moveRow(rows[layer]!, neighbours.after);
    }
  }
  return y;
}
