import { expect, test, type Locator, type Page } from '@playwright/test';
import { measureInk, openLab, runCommand, writeApi } from './lab';

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

test('the lineage viewer shows columns in cards, and finds what is folded', async ({ page }, info) => {
  await recordTrade(page);
  await openLab(page);
  await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('revenue') });
  const panel = page.locator('.jp-Colophon-lineage');
  const graph = panel.getByRole('group', { name: /^Lineage of trade.revenue/ });
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
  });
});
