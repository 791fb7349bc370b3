import type { Locator, Page } from '@playwright/test';
import { expect, measureInk, openLab, runCommand, test, writeApi } from '../tests/lab';

/** The number of layers on each side of the focus: the most that the panel asks for. */
const LEVELS = 20;
/** A fan of more nodes would be drawn as a cluster. */
const MAX_FAN = 5;
const BATCH = 1000;
const PAN_MS = 2000;

declare global {
  interface Window {
    /** The times from posting a graph to a worker until its layout arrived, in milliseconds. */
    layoutTimes: number[];
    /** The times of the frames while they are recorded. */
    frameTimes: number[] | null;
  }
}

function nodeUrn(graph: string, name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,${graph}.${name},PROD)`;
}

/** Writes a graph around a table: on each side a tree that opens to a width over a few layers. */
async function writeGraph(page: Page, graph: string, width: number): Promise<void> {
  const getWidth = (level: number): number => Math.min(width, MAX_FAN ** level);
  const upstreams = new Map<string, string[]>();
  for (let level = 1; level <= LEVELS; level++) {
    for (let row = 0; row < getWidth(level); row++) {
      const before =
        level === 1 ? 'focus' : `${level - 1}_${Math.floor((row * getWidth(level - 1)) / getWidth(level))}`;
      const parent = (side: string): string => (before === 'focus' ? before : `${side}_${before}`);
      upstreams.set(`down_${level}_${row}`, [parent('down')]);
      upstreams.set(parent('up'), [...(upstreams.get(parent('up')) ?? []), `up_${level}_${row}`]);
    }
  }
  const rows = [...upstreams].map(([name, sources]) => ({
    urn: nodeUrn(graph, name),
    aspect: 'upstreamLineage',
    operation: 'upsert',
    value: { upstreams: sources.map(source => ({ dataset: nodeUrn(graph, source), type: 'TRANSFORMED' })) }
  }));
  await writeApi(page, 'PUT', `loads/${graph}`, {});
  for (let number = 0; number * BATCH < rows.length; number++) {
    const batch = { partition: 0, number, rows: rows.slice(number * BATCH, (number + 1) * BATCH) };
    expect(await writeApi(page, 'POST', `loads/${graph}/batches`, batch)).toMatchObject({ rejected: [] });
  }
  await writeApi(page, 'PATCH', `loads/${graph}`, { state: 'committed' });
}

/** Records how long layouts take in workers. */
async function recordLayouts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.layoutTimes = [];
    window.frameTimes = null;
    const post = Worker.prototype.postMessage as (message: unknown, options?: unknown) => void;
    Worker.prototype.postMessage = function (this: Worker, message: unknown, options?: unknown) {
      if (typeof message === 'object' && message !== null && 'graph' in message) {
        const start = performance.now();
        // The time of the event: the panel's own listener is called first, and draws.
        this.addEventListener('message', event => window.layoutTimes.push(event.timeStamp - start), { once: true });
      }
      post.call(this, message, options);
    };
    const onFrame = (time: number): void => {
      window.frameTimes?.push(time);
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
  });
}

/** Opens a graph, and returns the milliseconds until the server answered and until the graph was painted. */
async function openGraph(page: Page, graph: string): Promise<{ painted: number; answer: number; paint: number }> {
  const urn = nodeUrn(graph, 'focus');
  return page.evaluate(
    async ([focus, view]) => {
      performance.clearResourceTimings();
      const start = performance.now();
      void window.jupyterapp.commands.execute('colophon:open-lineage', { urn: focus, view });
      const nextFrame = (): Promise<void> => new Promise(resolve => requestAnimationFrame(() => resolve()));
      const find = (): HTMLElement | null =>
        document.querySelector<HTMLElement>('.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-graph');
      while (Number(find()?.dataset['nodes'] ?? 0) < 150) {
        await nextFrame();
      }
      await nextFrame();
      const paint = performance.now() - start;
      const answers = performance.getEntriesByType('resource').filter(({ name }) => /\/lineage\?/.test(name));
      const answer = Math.max(...answers.map(entry => (entry as PerformanceResourceTiming).responseEnd)) - start;
      return { painted: Number(find()?.dataset['nodes']), answer, paint };
    },
    [urn, `levels=20`] as const
  );
}

/** Loads what the server omitted because of its limits. */
async function loadAll(panel: Locator): Promise<void> {
  const more = panel.getByRole('button', { name: 'Load more' });
  await expect(panel.locator('[aria-busy=true]')).toHaveCount(0);
  while (await more.isVisible()) {
    await more.click();
    await expect(panel.locator('[aria-busy=true]')).toHaveCount(0);
  }
}

/** Drags the drawing back and forth, and returns the frames per second and the longest frame in milliseconds. */
async function measurePanning(page: Page, graph: Locator): Promise<{ rate: number; longest: number }> {
  const box = (await graph.boundingBox())!;
  // The upper left corner of the drawing has no card.
  const [x, y] = [box.x + 20, box.y + 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => (window.frameTimes = []));
  const end = Date.now() + PAN_MS;
  for (let step = 1; Date.now() < end; step++) {
    const turn = step % 80;
    const distance = (turn < 40 ? turn : 80 - turn) * 6;
    await page.mouse.move(x + distance, y + distance / 2);
  }
  const times = await page.evaluate(() => {
    const recorded = window.frameTimes ?? [];
    window.frameTimes = null;
    return recorded;
  });
  await page.mouse.up();
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  return { rate: (1000 * gaps.length) / (times.at(-1)! - times[0]!), longest: Math.max(...gaps) };
}

test('figures of the lineage viewer', async ({ page }) => {
  const widths = { nodes_200: 5, nodes_1000: 26, nodes_10000: 285 };
  for (const [graph, width] of Object.entries(widths)) {
    await writeGraph(page, graph, width);
  }
  await recordLayouts(page);
  await openLab(page);
  // The code of the panel is loaded before the first measurement.
  await runCommand(page, 'colophon:open-lineage', { urn: nodeUrn('warm_up', 'focus') });
  const figures: Record<string, string | number>[] = [];
  for (const graph of Object.keys(widths)) {
    await page.evaluate(() => (window.layoutTimes.length = 0));
    const { painted, answer, paint } = await openGraph(page, graph);
    const drawing = page.locator('.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-graph');
    const panel = page.locator('.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-lineage');
    await loadAll(panel);
    const layout = await page.evaluate(() => Math.max(...window.layoutTimes));
    const nodes = Number(await drawing.getAttribute('data-nodes'));
    const near = await measurePanning(page, drawing);
    const nearInk = await measureInk(drawing.locator('canvas').first());
    await panel.getByRole('button', { name: 'Fit' }).click();
    const far = await measurePanning(page, drawing);
    const farInk = await measureInk(drawing.locator('canvas').first());
    // A blank drawing would be fast.
    expect(Math.min(nearInk, farInk)).toBeGreaterThan(0.002);
    figures.push({
      nodes,
      'in the first paint': painted,
      'answer (ms)': Math.round(answer),
      'layout (ms)': Math.round(layout),
      'first paint (ms)': Math.round(paint),
      'after the answer (ms)': Math.round(paint - answer),
      'panning near (frames/s)': Math.round(near.rate),
      'longest frame (ms)': Math.round(near.longest),
      'panning far (frames/s)': Math.round(far.rate),
      'longest far frame (ms)': Math.round(far.longest),
      'ink near': nearInk.toFixed(3),
      'ink far': farInk.toFixed(3)
    });
  }
  console.table(figures);
});
