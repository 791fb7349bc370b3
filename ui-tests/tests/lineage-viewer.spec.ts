import type { Locator, Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { expect, measureInk, openLab, readTabs, runCommand, test, waitForLab, writeApi } from './lab';

const DAY_MS = 86_400_000;

/** What an extension sees of JupyterLab and of this package. */
interface IFederatedLab {
  _JUPYTERLAB: Record<string, { get(path: string): Promise<() => { ILineageDecorator: unknown }> }>;
  jupyterapp: {
    resolveRequiredService(token: unknown): Promise<{ add(item: { id: string; label: string; decorate(node: { urn: string }): object | null }): void }>;
  };
}

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,trade.${name},PROD)`;
}

function cellUrn(name: string): string {
  return `urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.${name})`;
}

function stepUrn(pipeline: string, step: string): string {
  return `urn:li:dataJob:(urn:li:dataFlow:(colophon,${pipeline},default),${step})`;
}

interface IRunDescription {
  /** The name of a cell, or the URN of another program. */
  program: string;
  reads: string[];
  writes: string[];
  daysAgo?: number;
  component?: string;
  /** Source table and column, target table and column, transformation. */
  columns?: [string, string, string, string, string][];
  facts?: object;
}

async function recordRun(page: Page, run: IRunDescription): Promise<void> {
  const start = new Date(Date.now() - (run.daysAgo ?? 0) * DAY_MS).toISOString();
  const program = run.program.startsWith('urn:') ? run.program : cellUrn(run.program);
  const { component = '' } = run;
  const runId = `${run.program.replace(/[^\w.]+/g, '-')}-${Date.parse(start)}`;
  const { urn } = (await writeApi(page, 'POST', 'runs', { program, runId, start })) as { urn: string };
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
    accesses: [
      ...run.reads.map(name => ({ data: tableUrn(name), mode: 'read', component })),
      ...run.writes.map(name => ({ data: tableUrn(name), mode: 'write', component }))
    ],
    columns: (run.columns ?? []).map(([source, sourceField, target, targetField, transformation]) => ({
      source: tableUrn(source),
      sourceField,
      target: tableUrn(target),
      targetField,
      transformation
    }))
  });
  await writeApi(page, 'PATCH', `runs/${encodeURIComponent(urn)}`, { status: 'succeeded', end: start, facts: run.facts ?? {} });
}

/** Records a small shop: two sources, three steps, a wide fan of readers with the steps of a pipeline, and a step that is over since long. */
async function recordTrade(page: Page): Promise<void> {
  const sums: [string, string, string, string, string][] = [
    ['orders', 'price', 'revenue', 'total', 'aggregation'],
    ['orders', 'country', 'revenue', 'country', 'identity'],
    ['customers', 'id', 'revenue', 'total', 'join'],
    ['customers', 'name', 'revenue', 'customer', 'identity']
  ];
  const forecast: [string, string, string, string, string][] = [['revenue', 'total', 'forecast', 'expected', 'transformation']];
  const facts = { notebook: 'trade.ipynb', cellId: 'sum', executionCount: 4, source: 'spark.sql("SELECT sum(price) …")' };
  await recordRun(page, { program: 'old.ipynb#copy', reads: ['orders'], writes: ['revenue'], daysAgo: 20 });
  await recordRun(page, { program: 'load.ipynb#load', reads: ['raw'], writes: ['orders'], daysAgo: 20, facts: { sourceHash: 'a' } });
  await recordRun(page, { program: 'load.ipynb#load', reads: ['raw'], writes: ['orders'], daysAgo: 2, facts: { sourceHash: 'b' } });
  await recordRun(page, { program: 'trade.ipynb#sum', reads: ['orders', 'customers'], writes: ['revenue'], columns: sums, facts });
  await recordRun(page, { program: 'trade.ipynb#forecast', reads: ['revenue'], writes: ['forecast'], columns: forecast, component: 'inferred by name' });
  for (let reader = 0; reader < 30; reader++) {
    await recordRun(page, { program: `report_${reader}.ipynb#read`, reads: ['forecast'], writes: [] });
  }
  for (const step of ['clean', 'publish']) {
    await recordRun(page, { program: stepUrn('nightly', step), reads: ['forecast'], writes: [] });
  }
  const tags = { properties: {}, tags: ['certified'] };
  await writeApi(page, 'PUT', `entities/${encodeURIComponent(tableUrn('revenue'))}/aspects/businessMetadata`, tags);
}

/** Marks a table, as another extension does with the token of the package. */
async function addDecoration(page: Page): Promise<void> {
  await page.evaluate(async urn => {
    const { _JUPYTERLAB, jupyterapp } = window as unknown as IFederatedLab;
    const { ILineageDecorator } = (await _JUPYTERLAB['jupyter-colophon']!.get('./index'))();
    const decorator = await jupyterapp.resolveRequiredService(ILineageDecorator);
    decorator.add({
      id: 'acme-contracts:late',
      label: 'Contracts',
      decorate: node => (node.urn === urn ? { badge: 'late', title: 'delivered late', color: 'var(--jp-warn-color1)' } : null)
    });
  }, tableUrn('orders'));
}

/** Runs an action that downloads a file, and returns its content. */
async function save(page: Page, action: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return readFile(await download.path());
}

/** Returns the share of the pixels of a picture that are not white. */
async function measurePictureInk(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(async data => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d')!;
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, canvas.width, canvas.height);
    let inked = 0;
    for (let index = 0; index < pixels.length; index += 4) {
      inked += (pixels[index] ?? 0) < 250 ? 1 : 0;
    }
    return (4 * inked) / pixels.length;
  }, png.toString('base64'));
}

/** Returns the number of pixels of a canvas with the colour of a variable of the theme. */
async function countPixels(canvas: Locator, variable: string): Promise<number> {
  return canvas.evaluate((node, name) => {
    const source = (node as HTMLCanvasElement).getContext('2d')!;
    const { data } = source.getImageData(0, 0, source.canvas.width, source.canvas.height);
    const probe = document.createElement('canvas').getContext('2d')!;
    probe.fillStyle = getComputedStyle(node).getPropertyValue(name).trim();
    probe.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
    let count = 0;
    for (let index = 0; index < data.length; index += 4) {
      const distance =
        Math.abs(data[index]! - red) + Math.abs(data[index + 1]! - green) + Math.abs(data[index + 2]! - blue);
      count += data[index + 3] === 255 && distance < 12 ? 1 : 0;
    }
    return count;
  }, variable);
}

/** Returns the smallest size of a text on the cards, in pixels on the screen. */
async function findSmallestText(graph: Locator): Promise<number> {
  return graph.evaluate(host => {
    const cards = host.querySelector<HTMLElement>('.jp-Colophon-cards')!;
    const scale = new DOMMatrix(getComputedStyle(cards).transform).a;
    const sizes = [...cards.querySelectorAll<HTMLElement>('*')]
      .filter(element => [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent !== ''))
      .filter(element => element.offsetParent !== null)
      .map(element => parseFloat(getComputedStyle(element).fontSize))
      .filter(size => size > 0);
    return Math.min(100, ...sizes) * scale;
  });
}

test('the lineage viewer shows columns in cards, and finds what is folded', async ({ page }, info) => {
  await recordTrade(page);
  await openLab(page);
  await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('revenue') });
  const panel = page.locator('.jp-Colophon-lineage');
  const graph = panel.getByRole('group', { name: /^Lineage of trade.revenue/ });
  const card = (name: string): Locator => graph.getByRole('button', { name: new RegExp(`^(.*\\()?${name}\\)?, (dataset|program) in`) });
  await expect(graph).toHaveAttribute('data-nodes', '7');

  await test.step('the toolbar is one row, and wraps in a narrow panel', async () => {
    const toolbar = panel.getByRole('toolbar', { name: 'Lineage controls' });
    await page.setViewportSize({ width: 1400, height: 700 });
    await expect(async () => expect((await toolbar.boundingBox())?.height).toBeLessThan(44)).toPass({ timeout: 60_000 });
    await page.setViewportSize({ width: 900, height: 700 });
    await expect(async () => expect((await toolbar.boundingBox())?.height).toBeGreaterThan(44)).toPass({ timeout: 60_000 });
    for (const control of await toolbar.locator('button:visible, select:visible').all()) {
      await expect(control).toBeInViewport({ ratio: 1 });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('columns are rows in cards, and a column locks its path', async () => {
    await panel.getByRole('button', { name: 'Columns', exact: true }).click();
    const total = graph.getByRole('button', { name: 'column total of revenue' });
    await total.click();
    await expect(total).toHaveAttribute('aria-pressed', 'true');
    const price = graph.getByRole('button', { name: 'column price of orders' });
    await expect(price).toHaveClass(/jp-mod-onPath/);
    await expect(graph.getByRole('button', { name: 'column country of orders' })).not.toHaveClass(/jp-mod-onPath/);
    await panel.getByRole('button', { name: 'Control dependencies' }).click();
    await expect(graph.getByRole('button', { name: 'column id of customers' })).toHaveCount(0);
    await panel.getByRole('button', { name: 'Control dependencies' }).click();
    await panel.getByRole('button', { name: 'Legend' }).click();
    await expect(panel.getByRole('region', { name: 'Legend' })).toContainText('the value flows');
    await page.screenshot({ path: info.outputPath('columns-light.png') });
    await total.focus();
    await page.keyboard.press('ArrowLeft');
    await expect(price).toBeFocused();
    await page.keyboard.press('Escape');
    expect(await measureInk(graph.locator('canvas').first())).toBeGreaterThan(0.0005);
  });

  await test.step('letters find a node, and the search finds what is folded', async () => {
    await card('revenue').focus();
    await page.keyboard.type('cus');
    await expect(card('customers')).toBeFocused();
    await panel.getByLabel('Levels').selectOption('2');
    await expect(graph.getByRole('button', { name: /^20 programs more/ })).toBeVisible();
    await panel.getByRole('combobox', { name: 'Search the graph' }).fill('report_9');
    await page.keyboard.press('Enter');
    await expect(graph.getByRole('button', { name: /report_9.ipynb#read, program/ })).toBeFocused();
    await graph.getByRole('button', { name: /programs more/ }).focus();
    await page.keyboard.press('Enter');
    await expect(graph.getByRole('button', { name: /programs more/ })).toHaveCount(0);
  });

  await test.step('nodes are coloured by type, freshness and tag', async () => {
    const legend = panel.getByRole('region', { name: 'Legend' });
    const colour = panel.getByLabel('Colour by');
    await colour.selectOption('type');
    await expect(legend.getByRole('listitem').filter({ hasText: /^program \d+$/ })).toBeVisible();
    await expect(legend.getByRole('listitem').filter({ hasText: /^dataset \d+$/ })).toBeVisible();
    await colour.selectOption('freshness');
    await expect(legend).toContainText('within an hour');
    await expect(legend).toContainText('within a week');
    // The age is written on the card: colours alone are not sufficient.
    await expect(card('load.ipynb#load')).toContainText('2 days ago');
    await colour.selectOption('tag');
    await expect(legend.getByRole('listitem').filter({ hasText: /^certified 1$/ })).toBeVisible();
    await expect(card('revenue')).toContainText('certified');
    await page.screenshot({ path: info.outputPath('tags-light.png') });
  });

  await test.step('an extension marks nodes', async () => {
    await addDecoration(page);
    await panel.getByLabel('Colour by').selectOption({ label: 'Contracts' });
    await expect(card('orders')).toContainText('late');
    await expect(card('orders')).toHaveAccessibleName(/delivered late$/);
    await expect(graph.locator('.jp-Colophon-node[data-colour=mark]')).toHaveCount(1);
    await panel.getByLabel('Colour by').selectOption('none');
  });

  await test.step('cells of a notebook, tables of a namespace and steps of a pipeline are drawn as one', async () => {
    const group = (name: RegExp): Locator => graph.getByRole('button', { name });
    const grouping = panel.getByLabel('Group by');
    await grouping.selectOption('notebook');
    await expect(group(/^trade.ipynb, group of 2 programs$/)).toBeVisible();
    await grouping.selectOption('pipeline');
    await expect(group(/^nightly, group of 2 programs$/)).toBeVisible();
    await grouping.selectOption('namespace');
    await group(/^trade, group of 4 datasets$/).focus();
    await page.keyboard.press('Enter');
    await expect(card('orders')).toBeVisible();
    await grouping.selectOption('none');
    await expect(graph.locator('.jp-Colophon-node[data-type=group]')).toHaveCount(0);
  });

  await test.step('a side is collapsed and expanded by keys, with the number of hidden nodes', async () => {
    const before = Number(await graph.getAttribute('data-nodes'));
    await card('revenue').focus();
    await page.keyboard.press('{');
    await expect(graph.getByRole('button', { name: /^Show 2 more upstream of revenue$/ })).toBeVisible();
    await expect(card('orders')).toHaveCount(0);
    await page.keyboard.press('[');
    await expect(graph).toHaveAttribute('data-nodes', String(before));
  });

  await test.step('an edge is explained by its statement and cell, and the table is in step', async () => {
    await panel.getByRole('button', { name: 'Table', exact: true }).click();
    const table = panel.getByRole('table', { name: 'Lineage as a table' });
    const row = table.getByRole('row').filter({ hasText: /trade.ipynb · cell sum.*revenue.*write/ });
    await row.getByRole('button', { name: 'write' }).click();
    await expect(row).toHaveAttribute('aria-selected', 'true');
    const reason = panel.getByRole('region', { name: 'Why this edge' });
    await expect(reason).toContainText('SELECT sum(price)');
    await expect(reason.getByRole('button', { name: 'Open cell' })).toBeVisible();
    const inferred = table.getByRole('row').filter({ hasText: /cell forecast.*forecast.*write/ });
    await inferred.getByRole('button', { name: 'write' }).click();
    await expect(panel.getByRole('complementary', { name: 'Details' })).toContainText('Inferred by name: the data passed through');
    await card('forecast').press('Space');
    await expect(table.locator('tr[aria-selected=true]').first()).toContainText('forecast');
    await panel.getByRole('button', { name: 'Table', exact: true }).click();
  });

  await test.step('the impact is a list, and is saved as CSV', async () => {
    await card('orders').press('Space');
    await panel.getByRole('button', { name: 'Impact' }).click();
    const impact = panel.getByRole('region', { name: 'Impact' });
    await expect(impact.getByRole('list', { name: 'By freshness' })).toContainText('within an hour');
    await expect(impact.getByRole('list', { name: 'dataset', exact: true }).getByRole('button')).toHaveText(['revenue', 'forecast']);
    const csv = await save(page, () => impact.getByRole('button', { name: 'Save as CSV' }).click());
    expect(csv.toString()).toContain(`dataset,trade,forecast,2,`);
  });

  await test.step('a path between two nodes dims the others', async () => {
    await panel.getByRole('button', { name: 'Path from here' }).click();
    await card('forecast').press('Space');
    await panel.getByRole('button', { name: 'Show path to orders' }).click();
    await expect(panel.getByText('2 shortest paths from orders to forecast')).toBeVisible();
    await expect(graph.locator('.jp-Colophon-node:not(.jp-mod-faded)')).toHaveCount(6);
    await panel.getByRole('button', { name: 'Clear path' }).click();
    await expect(graph.locator('.jp-mod-faded')).toHaveCount(0);
  });

  await test.step('the graph is saved as SVG, PNG and JSON', async () => {
    await panel.getByLabel('Colour by').selectOption('type');
    const saveAs = async (label: string): Promise<Buffer> => {
      await panel.getByRole('button', { name: 'Export' }).click();
      return save(page, () => panel.getByRole('menuitem', { name: label }).click());
    };
    const svg = (await saveAs('Save as SVG')).toString();
    expect(svg).toMatch(/^<svg .*Lineage of trade.revenue/);
    expect(svg).toContain('>forecast</text>');
    const png = await saveAs('Save as PNG');
    await info.attach('lineage.png', { body: png, contentType: 'image/png' });
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(await measurePictureInk(page, png)).toBeGreaterThan(0.02);
    const document = JSON.parse((await saveAs('Save as JSON')).toString()) as { urn: string; nodes: unknown[] };
    expect(document.urn).toBe(tableUrn('revenue'));
    expect(document.nodes).toHaveLength(41);
    const events = (await saveAs('Save as OpenLineage')).toString().trimEnd().split('\n');
    const jobs = events.map(line => JSON.parse(line) as { eventType: string; job: { name: string } });
    expect(jobs.filter(({ job }) => job.name === 'cells.trade.ipynb#sum').map(event => event.eventType)).toEqual(['START', 'COMPLETE']);
  });

  await test.step('no text is smaller than 10 px at any zoom', async () => {
    await panel.getByRole('button', { name: 'Fit' }).click();
    for (let step = 0; step < 12; step++) {
      expect(await findSmallestText(graph)).toBeGreaterThanOrEqual(10);
      await panel.getByRole('button', { name: 'Zoom in' }).click();
    }
  });

  await test.step('differences between two times are marked by shape and colour', async () => {
    await panel.getByRole('button', { name: 'Actions' }).click();
    await panel.getByRole('menuitem', { name: 'Compare two times…' }).click();
    await expect(panel.getByLabel('Compare with')).toBeFocused();
    const before = new Date(Date.now() - 14 * DAY_MS - new Date().getTimezoneOffset() * 60_000);
    await panel.getByLabel('Compare with').fill(before.toISOString().slice(0, 16));
    // The step that copied orders did not run since.
    await expect(panel.getByText('× 2 removed')).toBeVisible();
    await expect(panel.getByText(/^\+ \d+ added$/)).toBeVisible();
    // The cell that loads orders has other code since.
    await expect(panel.getByText('△ 2 changed')).toBeVisible();
    await expect(panel.getByRole('region', { name: 'Legend' })).toContainText('changed');
    await panel.getByRole('button', { name: 'Table', exact: true }).click();
    const changed = panel.getByRole('row').filter({ hasText: /load.ipynb.*write.*changed: code of the program/ });
    await changed.getByRole('button', { name: 'write' }).click();
    await expect(panel.getByRole('complementary', { name: 'Details' })).toContainText('changed: code of the program');
    await panel.getByRole('button', { name: 'Table', exact: true }).click();
    await panel.getByRole('button', { name: 'Fit' }).click();
    await page.screenshot({ path: info.outputPath('difference-light.png') });
    for (const colour of ['--jp-success-color0', '--jp-error-color0', '--jp-warn-color0']) {
      await expect(async () => expect(await countPixels(graph.locator('canvas').first(), colour)).toBeGreaterThan(20)).toPass({
        timeout: 60_000
      });
    }
    await panel.getByLabel('Compare with').fill('');
    await panel.getByRole('button', { name: 'Timeline' }).click();
  });

  await test.step('what others add is highlighted and announced', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    for (let step = 0; step < 4; step++) {
      await panel.getByRole('button', { name: 'Zoom in' }).click();
    }
    await recordRun(page, { program: 'audit.ipynb#check', reads: ['revenue'], writes: [] });
    await expect(panel.getByRole('status').filter({ hasText: 'added just now: 1 node, 1 edge' })).toBeVisible();
    const added = graph.locator('.jp-Colophon-node.jp-mod-new');
    await expect(added).toHaveAttribute('data-urn', cellUrn('audit.ipynb#check'));
    await expect(added.locator('.jp-Colophon-card')).toHaveCSS('animation-name', 'none');
    await expect(added).toHaveCount(0);
    await page.emulateMedia({ reducedMotion: null });
  });

  await test.step('a link opens the same view', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await panel.getByLabel('Group by').selectOption('notebook');
    await panel.getByRole('button', { name: 'Export' }).click();
    await panel.getByRole('menuitem', { name: 'Copy link to this view' }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.goto(link);
    await waitForLab(page);
    await expect(graph.getByRole('button', { name: /^trade.ipynb, group of 2 programs$/ })).toBeVisible();
    await page.waitForURL(url => url.search === '');
    await expect(panel.getByLabel('Levels')).toHaveValue('2');
    await expect(panel.getByLabel('Colour by')).toHaveValue('type');
    await expect(panel.getByRole('button', { name: 'Columns', exact: true })).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('a tab keeps its view when JupyterLab is loaded again', async () => {
    await panel.getByLabel('Group by').selectOption('none');
    await panel.getByLabel('Levels').selectOption('1');
    await card('orders').focus();
    await page.keyboard.press('[');
    await expect(card('raw')).toBeVisible();
    await expect(async () => expect(await readTabs(page)).toMatch(/levels=1&[^"]*expanded=upstream[^"]*orders/)).toPass();
    await page.reload();
    await waitForLab(page);
    await expect(card('raw')).toBeVisible();
    await expect(panel.getByLabel('Levels')).toHaveValue('1');
    await expect(panel.getByLabel('Colour by')).toHaveValue('type');
    await expect(panel.getByRole('button', { name: 'Columns', exact: true })).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('the graph is shown as of an earlier time, and plays how it was made', async () => {
    await recordRun(page, { program: 'ledger.ipynb#write', reads: [], writes: ['ledger'] });
    // The slider has 200 steps, of which the time between the two runs is a part that is not too small.
    await page.waitForTimeout(3000);
    await recordRun(page, { program: 'ledger.ipynb#read', reads: ['ledger'], writes: [] });
    await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('ledger') });
    const ledger = page.getByRole('region', { name: 'Lineage of trade.ledger' });
    const picture = ledger.getByRole('group', { name: /^Lineage of trade.ledger/ });
    await expect(picture).toHaveAttribute('data-nodes', '3');
    await ledger.getByRole('button', { name: 'Timeline' }).click();
    const slider = ledger.getByRole('slider', { name: 'As of' });
    await expect(slider).toHaveAttribute('aria-valuetext', 'now');
    for (let step = 185; step > 0 && (await picture.getAttribute('data-nodes')) === '3'; step -= 15) {
      await Promise.all([page.waitForResponse(/\/lineage\?.*asOf=/), slider.fill(String(step))]);
      await expect(ledger.locator('[aria-busy=true]')).toHaveCount(0);
    }
    await expect(picture).toHaveAttribute('data-nodes', '2');
    await expect(picture.getByRole('button', { name: /ledger.ipynb#read/ })).toHaveCount(0);
    await ledger.getByRole('button', { name: 'Play' }).click();
    await expect(ledger.getByRole('button', { name: 'Pause' })).toBeVisible();
    await expect(slider).toHaveAttribute('aria-valuetext', 'now');
    await expect(ledger.getByRole('button', { name: 'Play' })).toBeVisible();
    await expect(picture).toHaveAttribute('data-nodes', '3');
  });
});
