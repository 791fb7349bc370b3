import { expect, test } from 'vitest';
import { computeLayout } from '../../src/lineage/layout';
import { Layouter } from '../../src/lineage/layouter';

const GRAPH = { count: 2, edges: [[0, 1]] as const };

/** A worker whose answers are given by the test. */
class FakeWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: { preventDefault(): void }) => void) | null = null;
  readonly tasks: { id: number }[] = [];
  isTerminated = false;
  postMessage(task: { id: number }): void {
    this.tasks.push(task);
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

test('answers resolve their requests in any order', async () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  const first = layouter.computeLayout(GRAPH);
  const second = layouter.computeLayout({ count: 1, edges: [] });
  worker.onmessage?.({ data: { id: worker.tasks[1]?.id, layout: 'second' } });
  worker.onmessage?.({ data: { id: worker.tasks[0]?.id, layout: 'first' } });
  expect(await first).toBe('first');
  expect(await second).toBe('second');
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
