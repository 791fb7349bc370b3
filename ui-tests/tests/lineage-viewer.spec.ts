import { readFileSync } from 'node:fs';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { findViolations, measureInk, openLab, runCommand, writeApi } from './lab';

const DAY_MS = 86_400_000;

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,trade.${name},PROD)`;
}

function cellUrn(name: string): string {
  return `urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.${name})`;
}

interface IRunDescription {
  program: string;
  reads: string[];
  writes: string[];
  daysAgo?: number;
  /** Source table and column, target table and column, transformation. */
  columns?: [string, string, string, string, string][];
  facts?: object;
}

async function recordRun(page: Page, run: IRunDescription): Promise<void> {
  const start = new Date(Date.now() - (run.daysAgo ?? 0) * DAY_MS).toISOString();
  const program = cellUrn(run.program);
  const { urn } = (await writeApi(page, 'POST', 'runs', { program, runId: `${run.program.replace('#', '-')}-${Date.parse(start)}`, start })) as { urn: string };
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
    accesses: [
      ...run.reads.map(name => ({ data: tableUrn(name), mode: 'read' })),
      ...run.writes.map(name => ({ data: tableUrn(name), mode: 'write' }))
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

/** Records a small shop: two sources, three steps, a wide fan of readers, and a step that is over since long. */
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
  await recordRun(page, { program: 'load.ipynb#load', reads: ['raw'], writes: ['orders'], daysAgo: 2 });
  await recordRun(page, { program: 'trade.ipynb#sum', reads: ['orders', 'customers'], writes: ['revenue'], columns: sums, facts });
  await recordRun(page, { program: 'trade.ipynb#forecast', reads: ['revenue'], writes: ['forecast'], columns: forecast });
  for (let reader = 0; reader < 30; reader++) {
    await recordRun(page, { program: `report_${reader}.ipynb#read`, reads: ['forecast'], writes: [] });
  }
  const tags = { properties: {}, tags: ['certified'] };
  await writeApi(page, 'PUT', `entities/${encodeURIComponent(tableUrn('revenue'))}/aspects/businessMetadata`, tags);
}

async function chooseTheme(page: Page, theme: string, isLight: boolean): Promise<void> {
  await runCommand(page, 'apputils:change-theme', { theme });
  await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', String(isLight));
}

async function readDownload(page: Page, save: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), save()]);
  return readFileSync(await download.path(), 'utf8');
}

test('the lineage viewer shows columns, clusters, times, paths and impact', async ({ page, context }, info) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await recordTrade(page);
  await openLab(page);
  await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('revenue') });
  const panel = page.locator('.jp-Colophon-lineage');
  const graph = panel.getByRole('group', { name: /^Lineage of trade.revenue/ });
  const details = panel.getByRole('complementary', { name: 'Details' });
  const card = (name: string): Locator => graph.getByRole('button', { name: new RegExp(`^${name}, (dataset|program) in`) });
  await expect(graph).toHaveAttribute('data-nodes', '7');

  await test.step('the toolbar is one row in a narrow panel', async () => {
    await page.setViewportSize({ width: 900, height: 700 });
    const toolbar = panel.getByRole('toolbar', { name: 'Lineage controls' });
    await expect(async () => expect((await toolbar.boundingBox())?.height).toBeLessThan(44)).toPass();
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
    await expect(graph.getByRole('button', { name: /^18 programs more/ })).toBeVisible();
    await panel.getByRole('combobox', { name: 'Search the graph' }).fill('report_9');
    await page.keyboard.press('Enter');
    await expect(graph.getByRole('button', { name: /report_9.ipynb#read, program/ })).toBeFocused();
    await graph.getByRole('button', { name: /programs more/ }).focus();
    await page.keyboard.press('Enter');
    await expect(graph.getByRole('button', { name: /programs more/ })).toHaveCount(0);
    await panel.getByLabel('Group by').selectOption('Notebook');
    await expect(graph.getByRole('button', { name: /^cells.trade.ipynb, group of 2 programs/ })).toBeVisible();
    await panel.getByLabel('Group by').selectOption('No groups');
    await panel.getByLabel('Colour by').selectOption('Tag');
    await expect(panel.getByRole('region', { name: 'Legend' })).toContainText('certified');
    await page.screenshot({ path: info.outputPath('clusters-light.png') });
    await panel.getByLabel('Levels').selectOption('1');
  });

  await test.step('a path is shown, an edge has a reason, and impact is a list', async () => {
    await card('orders').click();
    await details.getByRole('button', { name: 'Path from here' }).click();
    await card('forecast').click();
    await details.getByRole('button', { name: 'Show path to orders' }).click();
    await expect(panel.getByText(/shortest paths? from orders to forecast/)).toBeVisible();
    await page.screenshot({ path: info.outputPath('path-light.png') });
    await panel.getByRole('button', { name: 'Clear path' }).click();
    await panel.getByRole('button', { name: 'Table', exact: true }).click();
    const row = panel.getByRole('row').filter({ hasText: 'revenue' }).filter({ hasText: 'cell sum' });
    await row.getByRole('button', { name: 'write' }).click();
    await expect(details.getByRole('region', { name: 'Why this edge' })).toContainText('SELECT sum(price)');
    await panel.getByRole('button', { name: 'Table', exact: true }).click();
    await card('orders').click();
    await details.getByRole('button', { name: 'Impact' }).click();
    await expect(details.getByRole('list', { name: 'dataset' })).toContainText('forecast');
    const csv = await readDownload(page, () => details.getByRole('button', { name: 'Save as CSV' }).click());
    expect(csv).toContain('type,namespace,name,level,owner,last,urn');
    expect(csv).toContain(tableUrn('forecast'));
    await page.screenshot({ path: info.outputPath('impact-light.png') });
  });

  await test.step('two times are compared', async () => {
    await panel.getByRole('button', { name: 'Timeline' }).click();
    const since = new Date(Date.now() - 15 * DAY_MS).toISOString().slice(0, 16);
    await panel.getByLabel('Compare with').fill(since);
    await expect(panel.getByText(/\+ [1-9]\d* added/)).toBeVisible();
    await expect(panel.getByText(/× 2 removed/)).toBeVisible();
    await page.screenshot({ path: info.outputPath('comparison-light.png') });
    await panel.getByRole('slider', { name: 'As of' }).focus();
    await page.keyboard.press('Home');
    await expect(panel.getByText('This entity did not exist at that time.')).toBeVisible();
    await page.keyboard.press('End');
    await expect(card('revenue')).toBeVisible();
  });

  await test.step('the view is exported, and its link opens it again', async () => {
    const openMenu = (): Promise<void> => panel.getByRole('button', { name: 'Export' }).click();
    await openMenu();
    const svg = await readDownload(page, () => page.getByRole('menuitem', { name: 'Save as SVG' }).click());
    expect(svg).toContain('revenue');
    await openMenu();
    await readDownload(page, () => page.getByRole('menuitem', { name: 'Save as PNG' }).click());
    await openMenu();
    await page.getByRole('menuitem', { name: 'Copy link to this view' }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await chooseTheme(page, 'JupyterLab Dark', false);
    await page.screenshot({ path: info.outputPath('comparison-dark.png') });
    expect(await findViolations(page, '.jp-Colophon-lineage')).toEqual([]);
    await chooseTheme(page, 'JupyterLab Light', true);
    expect(await findViolations(page, '.jp-Colophon-lineage')).toEqual([]);
    await page.goto(link);
    await expect(panel.getByLabel('Colour by')).toHaveValue('tag');
    await expect(panel.getByRole('button', { name: 'Columns', exact: true })).toHaveAttribute('aria-pressed', 'true');
  });
});
