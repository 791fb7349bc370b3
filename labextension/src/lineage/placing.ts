import type { INeighbours, Rows } from './ordering';

const ROUNDS = 8;

interface IBlock {
  sum: number;
  count: number;
}

/**
 * Places as near as possible to the wishes, in the given order and at least `gaps[i]` after the one before.
 *
 * Least squares under an order is isotonic regression; pool-adjacent-violators solves it in one pass.
 */
export function spread(wishes: readonly number[], gaps: readonly number[]): number[] {
  let offset = 0;
  const offsets = wishes.map((_, index) => (offset += index === 0 ? 0 : gaps[index]!));
  const blocks: IBlock[] = [];
  wishes.forEach((wish, index) => {
    blocks.push({ sum: wish - offsets[index]!, count: 1 });
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
  const values = blocks.flatMap(block => new Array<number>(block.count).fill(block.sum / block.count));
  return values.map((value, index) => value + offsets[index]!);
}

function wishOf(nodes: readonly number[], y: readonly number[], otherwise: number): number {
  return nodes.length === 0 ? otherwise : nodes.reduce((sum, node) => sum + y[node]!, 0) / nodes.length;
}

/** Vertical centre of every node: near its neighbours, in the order of its row, not overlapping. */
export function heights(rows: Rows, neighbours: INeighbours, size: (node: number) => number): number[] {
  const y: number[] = [];
  const gapsOf = (row: readonly number[]): number[] =>
    row.map((node, index) => (index === 0 ? 0 : (size(row[index - 1]!) + size(node)) / 2));
  rows.forEach(row => {
    let at = 0;
    gapsOf(row).forEach((gap, index) => {
      at += gap;
      y[row[index]!] = at;
    });
  });
  const settle = (row: readonly number[], lists: readonly (readonly number[])[]): void => {
    const wishes = row.map(node => wishOf(lists[node]!, y, y[node]!));
    spread(wishes, gapsOf(row)).forEach((value, index) => (y[row[index]!] = value));
  };
  for (let round = 0; round < ROUNDS; round++) {
    rows.forEach(row => settle(row, neighbours.before));
    [...rows].reverse().forEach(row => settle(row, neighbours.after));
  }
  return y;
}
