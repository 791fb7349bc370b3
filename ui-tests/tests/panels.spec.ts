import type { Page } from '@playwright/test';
import { expect, findViolations, openLab, readApi, readLayout, runCommand, test, waitForLab, writeApi } from './lab';

const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.shop.ipynb#join)';

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,shop.${name},PROD)`;
}

function getAspectPath(name: string): string {
  return `entities/${encodeURIComponent(tableUrn(name))}/aspects/businessMetadata`;
}

interface IRunDescription {
  program: string;
  runId: string;
  from: string;
  to: string;
  columns?: [string, string][];
  facts?: object;
}

/** Records a run that read one table and wrote another. */
async function recordRun(page: Page, { program, runId, from, to, columns = [], facts = {} }: IRunDescription): Promise<string> {
  const start = new Date().toISOString();
  const { urn } = (await writeApi(page, 'POST', 'runs', { program, runId, start })) as { urn: string };
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
    accesses: [
      { data: tableUrn(from), mode: 'read' },
      { data: tableUrn(to), mode: 'write' }
    ],
    columns: columns.map(([sourceField, targetField]) => ({
      source: tableUrn(from),
      sourceField,
      target: tableUrn(to),
      targetField,
      transformation: 'aggregation'
    }))
  });
  await writeApi(page, 'PATCH', `runs/${encodeURIComponent(urn)}`, { status: 'succeeded', end: start, facts });
  return urn;
}

/** Records a run of the cell `join`, which read `orders` and wrote `report`. */
async function recordShopRun(page: Page): Promise<void> {
  await recordRun(page, {
    program: PROGRAM,
    runId: 'shop-1',
    from: 'orders',
    to: 'report',
    columns: [['price', 'total']]
  });
}

/** Writes the schema of the table `orders`. */
async function writeSchema(page: Page): Promise<void> {
  const fields = ['price', 'email'].map(fieldPath => ({ fieldPath, nativeDataType: 'string', nullable: true }));
  const platformSchema = { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } };
  const value = { schemaName: 'orders', platform: 'urn:li:dataPlatform:spark', version: 0, hash: '', platformSchema };
  await writeApi(page, 'PUT', `entities/${encodeURIComponent(tableUrn('orders'))}/aspects/schemaMetadata`, {
    ...value,
    fields
  });
}

test('a missing server extension is reported with advice', async ({ page }) => {
  const other = await page.context().newPage();
  await other.route('**/colophon/api/**', route => route.fulfill({ status: 404, body: 'no such page' }));
  await openLab(other);
  await other.getByRole('tab', { name: 'Metadata', exact: true }).click();
  await expect(other.getByRole('region', { name: 'Metadata', exact: true })).toContainText(
    'The Jupyter Colophon server extension is not installed'
  );
  await other.close();
});

test('an edit conflict is shown and overwritten on request', async ({ page }) => {
  await recordShopRun(page);
  await writeApi(page, 'PUT', getAspectPath('orders'), { properties: { owner: 'ops' }, tags: [] });
  await openLab(page);
  await runCommand(page, 'colophon:open-entity', { urn: tableUrn('orders') });
  const about = page.locator('.jp-Colophon-page');
  await about.getByRole('button', { name: 'Edit: Owner' }).click();
  await about.getByRole('textbox', { name: 'Owner' }).fill('mine');
  await writeApi(page, 'PUT', getAspectPath('orders'), { properties: { owner: 'theirs' }, tags: [] });
  await about.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('alertdialog', { name: 'Conflict' });
  await expect(conflict).toContainText('theirs');
  await expect(conflict).toContainText('mine');
  type Owned = { value: { properties: { owner: string } } };
  expect((await readApi<Owned>(page, getAspectPath('orders'))).value.properties.owner).toBe('theirs');
  await conflict.getByRole('button', { name: /^Keep mine/ }).click();
  await expect(about.getByRole('region', { name: 'About' })).toContainText('mine');
  expect((await readApi<Owned>(page, getAspectPath('orders'))).value.properties.owner).toBe('mine');

  const panel = page.getByRole('region', { name: 'Metadata', exact: true });
  const hits = panel.getByRole('region', { name: 'Entities' }).locator('li');
  await test.step('facets filter the search', async () => {
    await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
    await panel.getByLabel('Search metadata').fill('shop');
    await panel.getByRole('button', { name: 'Type', exact: true }).click();
    await panel.getByRole('dialog', { name: 'Filter by Type' }).getByRole('button', { name: /^dataset/ }).click();
    await expect(panel.getByRole('list', { name: 'Conditions' })).toHaveText('Type: dataset');
    await expect(hits).toHaveCount(2);
    await expect(panel.getByRole('status')).toHaveText('2 entities');
  });

  await test.step('the search is saved, opened and deleted', async () => {
    await panel.getByRole('button', { name: 'Save search' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Tables of the shop');
    await page.keyboard.press('Enter');
    const stored = panel.getByRole('region', { name: 'Saved searches' });
    await panel.getByLabel('Search metadata').fill('');
    await stored.getByRole('button', { name: 'Tables of the shop', exact: true }).click();
    await expect(hits).toHaveCount(2);
    await expect(panel.getByRole('list', { name: 'Conditions' })).toHaveText('Type: dataset');
    await panel.getByLabel('Search metadata').fill('');
    await stored.getByRole('button', { name: 'Delete the saved search Tables of the shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(stored).toHaveCount(0);
  });
});

test('open tabs are restored and opened once', async ({ page }) => {
  await recordShopRun(page);
  await openLab(page);
  const bookmarks = page.getByRole('region', { name: 'Bookmarks of the application bookmarks' });
  await test.step('the panel of an application calls its handlers', async () => {
    await page.getByRole('menuitem', { name: 'Settings', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Applications', exact: true }).click();
    const applications = page.getByRole('region', { name: 'Applications', exact: true });
    const installed = applications.getByRole('table', { name: 'Installed applications' });
    await expect(installed.getByRole('row', { name: 'bookmarks' })).toContainText('running');
    await applications.getByRole('button', { name: 'Bookmarks', exact: true }).click();
    await bookmarks.getByLabel('Name', { exact: true }).fill('docs');
    await bookmarks.getByLabel('URL').fill('https://docs.example');
    await page.keyboard.press('Enter');
    await expect(bookmarks.getByRole('listitem')).toHaveText('docs: https://docs.example');
  });
  await test.step('a report shows runs, and is downloaded', async () => {
    const tabs = page.getByRole('main').getByRole('tab');
    await tabs.filter({ hasText: 'Applications' }).click();
    const applications = page.getByRole('region', { name: 'Applications', exact: true });
    await applications.getByRole('button', { name: 'Reports', exact: true }).click();
    const reports = page.getByRole('region', { name: 'Reports of the application reports' });
    await reports.getByRole('checkbox', { name: 'User' }).check();
    await reports.getByRole('button', { name: 'Show', exact: true }).click();
    const groups = reports.getByRole('table', { name: 'Groups' });
    await expect(groups.getByRole('columnheader', { name: 'User' })).toBeVisible();
    await expect(groups.getByRole('button').first()).toBeVisible();
    const download = page.waitForEvent('download');
    await reports.getByRole('button', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toBe('report.csv');
  });
  await test.step('a module is uploaded, and its plugins are shown', async () => {
    await page.getByRole('main').getByRole('tab').filter({ hasText: 'Applications' }).click();
    const applications = page.getByRole('region', { name: 'Applications', exact: true });
    await applications.getByRole('tab', { name: 'Artifacts' }).click();
    await applications.getByLabel('Namespace').selectOption('default');
    const content = [
      'from jupyter_colophon.apps import ApplicationPlugin',
      '__version__ = "1.0"',
      'class Repeat(ApplicationPlugin):',
      '    type = "formatter"',
      '    name = "repeat"',
      '    description = "A text, several times"'
    ];
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      applications.getByRole('button', { name: 'Upload a file…' }).click()
    ]);
    await chooser.setFiles({
      name: 'shop_tools.py',
      mimeType: 'text/x-python',
      buffer: Buffer.from(`${content.join('\n')}\n`)
    });
    await expect(applications.getByLabel('Version')).toHaveValue('1.0');
    await applications.getByRole('button', { name: 'Upload', exact: true }).click();
    const artifacts = applications.getByRole('table', { name: 'Artifacts', exact: true });
    await expect(artifacts.getByRole('row', { name: 'shop_tools' })).toContainText(
      'repeat (formatter): A text, several times'
    );
  });
  await runCommand(page, 'colophon:open-entity', { urn: tableUrn('orders') });
  await runCommand(page, 'colophon:open-entity', { urn: tableUrn('orders') });
  await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('report') });
  // The layout is stored shortly after the last tab was opened.
  await expect(async () => {
    const layout = await readLayout(page);
    expect(layout).toMatch(/colophon-entity:[^"]*shop\.orders/);
    expect(layout).toMatch(/colophon-lineage:[^"]*shop\.report/);
    expect(layout).toContain('bookmarks/list');
  }).toPass();
  await page.reload();
  await waitForLab(page);
  const tabs = page.getByRole('main').getByRole('tab');
  await expect(tabs.filter({ hasText: 'shop.report' })).toHaveCount(1);
  await expect(tabs.filter({ hasText: 'orders' })).toHaveCount(1);
  await tabs.filter({ hasText: 'Bookmarks' }).click();
  await expect(bookmarks.getByRole('listitem')).toHaveText('docs: https://docs.example');
});

test('a lineage graph has keyboard navigation, controls and a table', async ({
  page
}) => {
  await recordShopRun(page);
  await openLab(page);
  await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('report') });
  const graph = page.getByRole('group', { name: /^Lineage of shop.report/ });
  await expect(graph).toHaveAttribute('data-nodes', '3');
  await graph.getByRole('button', { name: 'report, dataset in shop' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(graph.getByRole('button', { name: /#join\), program in default$/ })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(graph.getByRole('button', { name: 'orders, dataset in shop' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'orders' })).toBeVisible();
  await runCommand(page, 'colophon:open-lineage', { urn: tableUrn('report') });
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Lineage as a table' })).toContainText('cell join');

  await test.step('direction and levels change the graph', async () => {
    const load = PROGRAM.replace('#join', '#load');
    await recordRun(page, { program: load, runId: 'shop-0', from: 'raw', to: 'orders' });
    await expect(graph.getByRole('button', { name: /^Show 1 more upstream of / })).toBeVisible();
    await page.getByLabel('Levels').selectOption('2');
    await expect(graph).toHaveAttribute('data-nodes', '5');
    await page.getByLabel('Direction').selectOption({ label: 'Downstream' });
    await expect(graph).toHaveAttribute('data-nodes', '1');
    await page.getByLabel('Direction').selectOption({ label: 'Upstream' });
    await expect(graph).toHaveAttribute('data-nodes', '5');
    await page.getByRole('combobox', { name: /^Time/ }).selectOption({ label: 'Last hour' });
    await expect(graph).toHaveAttribute('data-nodes', '5');
  });

  await test.step('column lineage is listed', async () => {
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await graph.getByRole('button', { name: 'report, dataset in shop' }).click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await expect(details.getByRole('list', { name: 'Columns' })).toHaveText(
      'shop.report.total← shop.orders: price (aggregated)'
    );
  });

  await test.step('the page of a dataset shows its profile', async () => {
    const quantiles = [0.25, 0.5, 0.75].map(rank => ({ quantile: `${rank}`, value: `${rank * 100}` }));
    const column = { fieldPath: 'price', nullCount: 1, nullProportion: 0.25, uniqueCount: 3, quantiles };
    const fieldProfiles = [{ ...column, min: '0', max: '100', mean: '49.123456789', stdev: '20' }];
    const value = { timestampMillis: Date.now(), rowCount: 4, columnCount: 1, fieldProfiles };
    await writeApi(page, 'PUT', `entities/${encodeURIComponent(tableUrn('orders'))}/aspects/datasetProfile`, value);
    await writeSchema(page);
    await runCommand(page, 'colophon:open-entity', { urn: tableUrn('orders') });
    await page.getByRole('tab', { name: /^Columns/ }).click();
    const profile = page.getByRole('region', { name: 'Columns' });
    await profile.getByRole('button', { name: 'Statistics' }).click();
    await expect(profile.getByRole('row', { name: /^price/ })).toHaveText(/25%.*0100.*49\.1235/);
    const label = 'Quartiles: 25 to 75, median 50';
    await expect(profile.getByRole('img', { name: label })).toBeVisible();
  });

  await test.step('column metadata is edited in the schema', async () => {
    const email = `entities/${encodeURIComponent(`urn:li:schemaField:(${tableUrn('orders')},email)`)}/aspects/businessMetadata`;
    const schema = page.getByRole('region', { name: 'Columns' });
    await schema.getByRole('button', { name: 'Edit: email' }).click();
    const form = schema.getByRole('group', { name: 'Column email' });
    await expect(form.getByRole('textbox', { name: 'Tags', exact: true })).toBeFocused();
    await page.keyboard.type('confidential');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    const tags = schema.getByRole('list', { name: 'Tags and terms of email' });
    await expect(tags).toContainText('confidential');
    await expect(schema.getByRole('button', { name: 'Edit: email' })).toBeFocused();
    await test.step('descriptions of columns and tables are edited', async () => {
      await schema.getByRole('row', { name: /^email/ }).getByRole('button', { name: 'Describe' }).click();
      await expect(schema.getByRole('textbox', { name: 'Description of email' })).toBeFocused();
      await page.keyboard.type('Where to write to');
      await page.keyboard.press('Control+s');
      await expect(schema.getByRole('row', { name: /^email/ })).toContainText('Where to write to');
      await page.getByRole('tab', { name: 'Overview' }).click();
      const written = page.getByRole('region', { name: 'Description' });
      await written.getByRole('button', { name: 'Add a description' }).click();
      await written.getByRole('textbox', { name: 'Description' }).fill('What the shop sold');
      await page.keyboard.press('Control+s');
      await expect(written).toContainText('What the shop sold');
      await page.getByRole('tab', { name: /^Columns/ }).click();
    });
    await writeApi(page, 'PUT', email, { properties: { owner: 'ops' }, tags: ['confidential', 'pii'] });
    await expect(tags.getByRole('listitem')).toHaveText([/^confidential /, /^pii /]);
    await expect(schema.getByRole('row', { name: /^email/ })).toContainText('ops');
  });

  await test.step('the page of a pipeline run shows stages and log', async () => {
    const [source, sink] = ['orders', 'sums'];
    const facts = {
      log: '2026-11-22T12:00:00.000Z sums wrote',
      'stage.sums.at': 1,
      'stage.sums.status': 'succeeded',
      'stage.sums.in': 5,
      'stage.sums.rows': 2,
      'stage.sums.ms': 1500,
      'stage.read.at': 0,
      'stage.read.status': 'succeeded',
      'stage.read.rows': 5,
      'stage.read.ms': 20
    };
    const program = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,shop),workflows.shop)';
    const urn = await recordRun(page, { program, runId: 'shop-2', from: source, to: sink, facts });
    await runCommand(page, 'colophon:open-run', { urn });
    const stages = page.getByRole('region', { name: 'Stages' });
    await expect(stages.getByRole('row')).toHaveText([/^Stage/, 'readsucceeded520 ms', 'sumssucceeded521.5 s']);
    await expect(page.getByRole('region', { name: 'Log' })).toContainText('sums wrote');
    expect(await findViolations(page, '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page')).toEqual([]);
  });
});
