import { expect, test } from 'vitest';
import { layout } from '../../src/lineage/layout';
import { Layouter } from '../../src/lineage/layouter';

const GRAPH = { count: 2, edges: [[0, 1]] as const };

/** A worker whose answers the test gives. */
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

test('answers come back to who asked, in whatever order', async () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  const first = layouter.layout(GRAPH);
  const second = layouter.layout({ count: 1, edges: [] });
  worker.onmessage?.({ data: { id: worker.tasks[1]?.id, layout: 'second' } });
  worker.onmessage?.({ data: { id: worker.tasks[0]?.id, layout: 'first' } });
  expect(await first).toBe('first');
  expect(await second).toBe('second');
  expect(layouter.threaded).toBe(true);
});

test('where no worker can be had the layout is made here', async () => {
  const layouter = new Layouter(() => {
    throw new Error('a policy forbids it');
  });
  expect(await layouter.layout(GRAPH)).toEqual(layout(GRAPH));
  expect(layouter.threaded).toBe(false);
});

test('a worker that cannot be loaded leaves nobody waiting', async () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  const waiting = layouter.layout(GRAPH);
  worker.onerror?.({ preventDefault: () => undefined });
  expect(await waiting).toEqual(layout(GRAPH));
  expect(await layouter.layout(GRAPH)).toEqual(layout(GRAPH));
});

test('the worker goes when the layouter goes', () => {
  const worker = new FakeWorker();
  const layouter = new Layouter(() => worker as unknown as Worker);
  void layouter.layout(GRAPH);
  layouter.dispose();
  expect(worker.isTerminated).toBe(true);
});
