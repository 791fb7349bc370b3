import { expect, test } from 'vitest';
import { computeLayout } from '../../src/lineage/layout';
import { Layouter } from '../../src/lineage/layouter';
import { listBuffers, packLayout, unpackGraph } from '../../src/lineage/packing';
import type { ITask } from '../../src/lineage/worker';

/** A graph with a cycle, a bend, and cards of different heights. */
const GRAPH = {
  count: 4,
  edges: [
    [0, 1],
    [1, 2],
    [0, 2],
    [2, 1],
    [3, 3]
  ] as const,
  heights: [48, 92, 48, 114]
};
const LONE = { count: 1, edges: [] };

/** A worker that answers when the test demands it. Messages are cloned, and their buffers are moved, as in a browser. */
class FakeWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: { preventDefault(): void }) => void) | null = null;
  readonly tasks: ITask[] = [];
  isTerminated = false;
  postMessage(task: ITask, transfer: ArrayBuffer[]): void {
    this.tasks.push(structuredClone(task, { transfer }));
  }
  answer(index: number): void {
    const { id, graph } = this.tasks[index]!;
    const layout = packLayout(computeLayout(unpackGraph(graph)));
    this.onmessage?.({ data: structuredClone({ id, layout }, { transfer: listBuffers(layout) }) });
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

test('answers resolve their requests in any order', async () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  const first = layouter.computeLayout(GRAPH);
  const second = layouter.computeLayout(LONE);
  worker.answer(1);
  worker.answer(0);
  expect(await first).toEqual(computeLayout(GRAPH));
  expect(await second).toEqual(computeLayout(LONE));
  expect(layouter.usesWorker).toBe(true);
});

test('without workers, the layout is computed in this thread', async () => {
  const layouter = new Layouter(() => {
    throw new Error('a policy forbids it');
  });
  expect(await layouter.computeLayout(GRAPH)).toEqual(computeLayout(GRAPH));
  expect(layouter.usesWorker).toBe(false);
});

test('pending layouts are computed when the worker fails to load', async () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  const waiting = layouter.computeLayout(GRAPH);
  worker.onerror?.({ preventDefault: () => undefined });
  expect(await waiting).toEqual(computeLayout(GRAPH));
  expect(await layouter.computeLayout(GRAPH)).toEqual(computeLayout(GRAPH));
});

test('disposing terminates the worker', () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  void layouter.computeLayout(GRAPH);
  layouter.dispose();
  expect(worker.isTerminated).toBe(true);
});

test('the worker starts before the first graph, and once', () => {
  const workers: FakeWorker[] = [];
  const layouter = new Layouter(() => {
    workers.push(new FakeWorker());
    return workers.at(-1) as unknown as Worker;
  });
  layouter.start();
  void layouter.computeLayout(GRAPH);
  expect(workers.map(({ tasks }) => tasks.length)).toEqual([1]);
  layouter.dispose();
  layouter.start();
  expect(workers).toHaveLength(1);
});
