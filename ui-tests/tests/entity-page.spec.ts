import type { Page } from '@playwright/test';
import { expect, openLab, readApi, runCommand, test, waitForLab, writeApi } from './lab';

const NAME = 'sales.orders';
const ORDERS = tableUrn(NAME);
const PAGE = '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page';
const CELL = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.clean.ipynb#load)';

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,${name},PROD)`;
}

function getAspectPath(urn: string, aspect: string): string {
  return `entities/${encodeURIComponent(urn)}/aspects/${aspect}`;
}

interface IUserMetadata {
  value: { properties: Record<string, string>; tags: string[] };
}

async function readUserMetadata(page: Page): Promise<IUserMetadata['value']> {
  return (await readApi<IUserMetadata>(page, getAspectPath(ORDERS, 'businessMetadata'))).value;
}

/** Creates a table with a schema, a profile and metadata, written by a run of a cell that read another table. */
async function createTable(page: Page): Promise<void> {
  const start = new Date().toISOString();
  const run = { program: CELL, runId: 'sales-1', start };
  const { urn } = (await writeApi(page, 'POST', 'runs', run)) as { urn: string };
  const accesses = [
    { data: tableUrn('sales.raw'), mode: 'read' },
    { data: ORDERS, mode: 'write' }
  ];
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, { accesses });
  const facts = { notebook: 'clean.ipynb', cellId: 'load', executionCount: 8 };
  await writeApi(page, 'PATCH', `runs/${encodeURIComponent(urn)}`, { status: 'succeeded', end: start, facts });
  const fields = [
    ['id', 'bigint'],
    ['customer', 'string'],
    ['amount', 'decimal(10,2)']
  ].map(([fieldPath, nativeDataType]) => ({ fieldPath, nativeDataType, nullable: fieldPath !== 'id' }));
  await writeApi(page, 'PUT', getAspectPath(ORDERS, 'schemaMetadata'), {
    ...{ schemaName: 'orders', platform: 'urn:li:dataPlatform:spark', version: 0, hash: '', primaryKeys: ['id'] },
    ...{ platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } }, fields }
  });
  const quantiles = [0.25, 0.5, 0.75].map(rank => ({ quantile: `${rank}`, value: `${rank * 100}` }));
  await writeApi(page, 'PUT', getAspectPath(ORDERS, 'datasetProfile'), {
    ...{ timestampMillis: Date.now(), rowCount: 1204, columnCount: 3, sizeInBytes: 3_200_000 },
    fieldProfiles: [
      { fieldPath: 'customer', nullProportion: 0.25, nullCount: 301 },
      { fieldPath: 'amount', nullProportion: 0, nullCount: 0, min: '0', max: '100', quantiles }
    ]
  });
  await writeApi(page, 'PUT', getAspectPath(ORDERS, 'technicalMetadata'), {
    properties: { format: 'parquet', type: 'table', location: 'file:/srv/warehouse/sales.db/orders' },
    tags: []
  });
  await writeApi(page, 'PUT', getAspectPath(ORDERS, 'businessMetadata'), {
    properties: { owner: 'ops', refresh: 'every morning' },
    tags: ['raw']
  });
}

test('a table is described, tagged and restored on its page', async ({ page }, info) => {
  await createTable(page);
  await openLab(page);
  await runCommand(page, 'colophon:open-entity', { urn: ORDERS });
  const about = page.locator(PAGE);
  const overview = about.getByRole('tabpanel', { name: 'Overview' });

  await test.step('the head shows what the table is and how fresh', async () => {
    await expect(about.getByRole('heading', { name: 'orders' })).toBeVisible();
    await expect(about.locator('header')).toContainText('1,204 rows');
    await expect(about.locator('header')).toContainText('3.2 MB');
    await expect(about.locator('header')).toContainText(/written just now by .*clean\.ipynb/);
    await expect(overview.getByRole('list', { name: 'Comes from' })).toContainText('raw');
    await expect(overview.getByText('Recorded by Spark · 3 properties')).toBeVisible();
    await about.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.screenshot({ path: info.outputPath('overview-light.png') });
  });

  await test.step('a description is written in place as Markdown, and undone', async () => {
    await overview.getByRole('button', { name: 'Add a description' }).click();
    const input = overview.getByRole('textbox', { name: 'Description' });
    await expect(input).toBeFocused();
    await page.keyboard.type('One row **per order**.');
    await page.keyboard.press('Control+Enter');
    await expect(overview.locator('strong')).toHaveText('per order');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(overview.getByRole('button', { name: 'Add a description' })).toBeVisible();
  });

  await test.step('an owner is changed with the keyboard only', async () => {
    await overview.getByRole('button', { name: 'Edit: Owner' }).focus();
    await page.keyboard.press('Enter');
    const input = overview.getByRole('textbox', { name: 'Owner' });
    await input.fill('nobody');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(input).toBeHidden();
    await overview.getByRole('button', { name: 'Edit: Owner' }).click();
    await input.fill('sales');
    await page.keyboard.press('Enter');
    await expect(overview.getByRole('button', { name: 'Edit: Owner' })).toBeFocused();
    expect((await readUserMetadata(page)).properties).toEqual({ owner: 'sales', refresh: 'every morning' });
  });

  await test.step('changes of others are merged, and asked for only where they overlap', async () => {
    await overview.getByRole('button', { name: 'Edit: refresh' }).click();
    const input = overview.getByRole('textbox', { name: 'refresh' });
    await input.fill('hourly');
    const theirs = { properties: { owner: 'sales', refresh: 'every morning', steward: 'ada' }, tags: ['raw', 'pii'] };
    await writeApi(page, 'PUT', getAspectPath(ORDERS, 'businessMetadata'), theirs);
    await input.press('Enter');
    await expect(overview).toContainText('steward');
    const merged = { properties: { owner: 'sales', refresh: 'hourly', steward: 'ada' }, tags: ['raw', 'pii'] };
    // The feed may show the other's change before this one is saved.
    await expect.poll(() => readUserMetadata(page)).toEqual(merged);

    await overview.getByRole('button', { name: 'Edit: steward' }).click();
    await overview.getByRole('textbox', { name: 'steward' }).fill('bob');
    const again = { properties: { ...merged.properties, steward: 'eve', unit: 'eur' }, tags: merged.tags };
    await writeApi(page, 'PUT', getAspectPath(ORDERS, 'businessMetadata'), again);
    await overview.getByRole('textbox', { name: 'steward' }).press('Enter');
    const conflict = page.getByRole('alertdialog', { name: 'Conflict' });
    await expect(conflict.getByRole('row')).toHaveCount(2);
    await page.screenshot({ path: info.outputPath('conflict-light.png') });
    await conflict.getByRole('button', { name: /^Keep mine/ }).click();
    await expect(overview).toContainText('eur');
    expect((await readUserMetadata(page)).properties).toEqual({ ...again.properties, steward: 'bob' });
  });

  await test.step('tags are added and removed in the head', async () => {
    await about.getByRole('button', { name: 'Add a tag', exact: true }).click();
    await page.keyboard.type('not good!');
    await page.keyboard.press('Enter');
    await expect(about.getByRole('alert')).toBeVisible();
    await about.getByRole('button', { name: 'Discard the change' }).click();
    await about.getByRole('button', { name: 'Add a tag', exact: true }).click();
    await page.keyboard.type('checked');
    await page.keyboard.press('Enter');
    const tags = about.locator('header').getByRole('list', { name: 'Tags' });
    await expect(tags.getByRole('listitem')).toHaveCount(3);
    await tags.getByRole('button', { name: 'Remove raw' }).click();
    await expect(tags).not.toContainText('raw');
    expect((await readUserMetadata(page)).tags).toEqual(['pii', 'checked']);
  });

  await test.step('an expectation fails, and the badge of the table and of its hit shows it', async () => {
    await overview.getByRole('button', { name: 'Add an expectation' }).click();
    await overview.getByLabel('Expected', { exact: true }).selectOption('Values are in a range');
    await page.screenshot({ path: info.outputPath('quality-form-light.png') });
    await overview.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(overview.getByLabel('Column', { exact: true })).toBeFocused();
    await overview.getByLabel('Column', { exact: true }).selectOption('amount (decimal(10,2))');
    await overview.getByLabel('Minimum').fill('0');
    await page.keyboard.press('Enter');
    const badge = about.locator('header').getByRole('button', { name: /Quality/ });
    await expect(badge).toContainText('Quality not checked: 1 never checked');
    const failed = { kind: 'range', column: 'amount', status: 'failed', failing: 12, rows: 1204, samples: ['-3'] };
    await writeApi(page, 'POST', `entities/${encodeURIComponent(ORDERS)}/quality/results`, {
      source: { kind: 'cell', name: 'clean.ipynb' },
      results: { 'amount-range': failed }
    });
    await expect(badge).toContainText('Quality failing: 1 failed');
    const quality = overview.getByRole('region', { name: 'Data quality' });
    await expect(quality.getByRole('listitem')).toContainText('12 of 1,204 rows fail');
    await badge.click();
    await page.screenshot({ path: info.outputPath('quality-light.png') });
    await quality.getByRole('button', { name: 'All failing datasets' }).click();
    const hit = page.locator('.jp-Colophon-hits').getByRole('listitem').filter({ hasText: 'orders' });
    await expect(hit).toContainText('Quality failing');
    await page.screenshot({ path: info.outputPath('quality-hit-light.png') });
    await page.evaluate(() => window.jupyterapp.shell.collapseLeft());
  });

  await test.step('columns are searched, tagged and described in place; the tab survives a reload', async () => {
    await about.getByRole('tab', { name: /^Columns/ }).click();
    await page.reload();
    await waitForLab(page);
    await expect(about.getByRole('button', { name: 'Follow', exact: true })).toHaveAttribute('aria-pressed', 'true');
    const columns = about.getByRole('tabpanel', { name: /^Columns/ });
    const amount = columns.getByRole('row', { name: /^amount/ });
    await expect(amount.getByRole('img', { name: 'Quartiles: 25 to 75, median 50' })).toBeVisible();
    await expect(columns.getByRole('row', { name: /^customer/ })).toContainText('25%');
    await expect(columns.getByRole('row', { name: /^id/ })).toContainText('key');
    await amount.getByRole('button', { name: 'Add a tag to amount' }).click();
    await page.keyboard.type('kpi');
    await page.keyboard.press('Enter');
    await expect(amount.getByRole('list', { name: 'Tags and terms of amount' })).toContainText('kpi');
    await amount.getByRole('button', { name: 'Describe' }).click();
    await expect(amount.getByRole('textbox', { name: 'Description of amount' })).toBeFocused();
    await page.keyboard.type('Net, in euros');
    await page.keyboard.press('Enter');
    await expect(amount).toContainText('Net, in euros');
    await page.mouse.move(0, 0);
    await page.screenshot({ path: info.outputPath('columns-light.png') });
    await test.step('a tag is dragged from the head onto a column, and from a column onto the head', async () => {
      const head = about.locator('header');
      const customer = columns.getByRole('row', { name: /^customer/ });
      await head.getByRole('listitem').filter({ hasText: /^pii/ }).dragTo(customer);
      await expect(customer.getByRole('list', { name: 'Tags and terms of customer' })).toContainText('pii');
      const column = `urn:li:schemaField:(${ORDERS},customer)`;
      const { value } = await readApi<IUserMetadata>(page, getAspectPath(column, 'businessMetadata'));
      expect(value.tags).toEqual(['pii']);
      await amount
        .getByRole('listitem')
        .filter({ hasText: /^kpi/ })
        .dragTo(head.getByRole('heading', { name: 'orders' }));
      await expect(head.getByRole('list', { name: 'Tags' })).toContainText('kpi');
      expect((await readUserMetadata(page)).tags).toEqual(['pii', 'checked', 'kpi']);
    });
    await columns.getByRole('searchbox', { name: 'Search columns' }).fill('euros');
    await expect(columns.getByRole('row')).toHaveCount(2);
  });

  await test.step('runs are bars by time; the selected one shows what it read and wrote', async () => {
    const earlier = new Date(Date.now() - 3_600_000).toISOString();
    const run = { program: CELL, runId: 'sales-0', start: earlier };
    const { urn } = (await writeApi(page, 'POST', 'runs', run)) as { urn: string };
    const accesses = [{ data: ORDERS, mode: 'write' }];
    await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, { accesses });
    await writeApi(page, 'PATCH', `runs/${encodeURIComponent(urn)}`, { status: 'failed', end: earlier });
    await about.getByRole('tab', { name: 'Runs' }).click();
    const bars = about.getByRole('group', { name: /^Timeline of runs/ }).getByRole('button', { name: /clean\.ipynb/ });
    await expect(bars).toHaveCount(2);
    const selected = about.getByRole('region', { name: 'Selected run' });
    await expect(selected.getByRole('list', { name: 'Inputs' })).toContainText('raw');
    await bars.last().focus();
    await page.keyboard.press('ArrowLeft');
    await expect(bars.first()).toBeFocused();
    await expect(selected).toContainText('failed');
    await expect(selected.getByRole('list', { name: 'Outputs' })).toContainText('checked');
    await page.screenshot({ path: info.outputPath('runs-light.png') });
    await about.getByRole('tab', { name: /^Columns/ }).click();
  });

  await test.step('the history is readable, and a version is restored', async () => {
    await about.getByRole('tab', { name: 'Columns' }).press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const history = about.getByRole('tabpanel', { name: 'History' });
    await expect(history.getByRole('listitem').filter({ hasText: 'owner' }).first()).toContainText('ops → sales');
    await page.screenshot({ path: info.outputPath('history-light.png') });
    await history.getByRole('button', { name: 'Restore version 1 of User metadata' }).click();
    await expect(about.locator('header').getByRole('list', { name: 'Tags' })).toContainText('raw');
    const first = { properties: { owner: 'ops', refresh: 'every morning' }, tags: ['raw'] };
    expect(await readUserMetadata(page)).toEqual(first);
  });

  await test.step('code that loads the table is inserted into the open notebook', async () => {
    await runCommand(page, 'docmanager:open', { path: 'flights.ipynb' });
    await expect(page.locator('.jp-Notebook .jp-Cell').first()).toBeVisible();
    await runCommand(page, 'colophon:open-entity', { urn: ORDERS });
    await about.getByRole('button', { name: 'Insert into notebook' }).click();
    const cell = page.locator('.jp-Notebook .jp-Cell.jp-mod-active .cm-content');
    await expect(cell).toBeVisible();
    await expect(cell).toContainText('orders = spark.table("sales.orders")');
  });
});
