import { expect, test, type Page } from '@playwright/test';
import { ask, barriers, labReady, openLab, rememberedLayout, run, tell } from './lab';

const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.shop.ipynb#join)';

function table(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,shop.${name},PROD)`;
}

function aspectOf(name: string): string {
  return `entities/${encodeURIComponent(table(name))}/aspects/businessMetadata`;
}

interface IRecorded {
  program: string;
  runId: string;
  from: string;
  to: string;
  columns?: [string, string][];
  facts?: object;
}

/** A run that read one table and wrote another. */
async function record(page: Page, { program, runId, from, to, columns = [], facts = {} }: IRecorded): Promise<string> {
  const start = new Date().toISOString();
  const { urn } = (await tell(page, 'POST', 'runs', { program, runId, start })) as { urn: string };
  await tell(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
    accesses: [
      { data: table(from), mode: 'read' },
      { data: table(to), mode: 'write' }
    ],
    columns: columns.map(([sourceField, targetField]) => ({
      source: table(from),
      sourceField,
      target: table(to),
      targetField,
      transformation: 'aggregation'
    }))
  });
  await tell(page, 'PATCH', `runs/${encodeURIComponent(urn)}`, { status: 'succeeded', end: start, facts });
  return urn;
}

/** A run of the cell `join`, which read `orders` and wrote `report`. */
async function recordShop(page: Page): Promise<void> {
  await record(page, {
    program: PROGRAM,
    runId: 'shop-1',
    from: 'orders',
    to: 'report',
    columns: [['price', 'total']]
  });
}

test('without the server extension the panel says so, and what to do', async ({ page }) => {
  await page.route('**/colophon/api/**', route => route.fulfill({ status: 404, body: 'no such page' }));
  await openLab(page);
  await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Metadata', exact: true })).toContainText(
    'The server part of Jupyter Colophon is missing'
  );
});

test('what somebody else saved meanwhile is shown, and overwritten only when that is wanted', async ({ page }) => {
  await recordShop(page);
  await tell(page, 'PUT', aspectOf('orders'), { properties: { owner: 'ops' }, tags: [] });
  await openLab(page);
  await run(page, 'colophon:open-entity', { urn: table('orders') });
  const about = page.locator('.jp-Colophon-page');
  await about.getByRole('button', { name: 'Edit: User metadata' }).click();
  await about.getByLabel('Value of owner').fill('mine');
  await tell(page, 'PUT', aspectOf('orders'), { properties: { owner: 'theirs' }, tags: [] });
  await about.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('alertdialog', { name: 'Conflict' });
  await expect(conflict).toContainText('theirs');
  await expect(conflict).toContainText('mine');
  type Owned = { value: { properties: { owner: string } } };
  expect((await ask<Owned>(page, aspectOf('orders'))).value.properties.owner).toBe('theirs');
  await conflict.getByRole('button', { name: 'Save mine over theirs' }).click();
  await expect(about.getByRole('region', { name: 'User metadata' })).toContainText('mine');
  expect((await ask<Owned>(page, aspectOf('orders'))).value.properties.owner).toBe('mine');

  const panel = page.getByRole('region', { name: 'Metadata', exact: true });
  const hits = panel.getByRole('region', { name: 'Entities' }).locator('li');
  await test.step('a search is narrowed down by what the matches have in common', async () => {
    await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
    await panel.getByLabel('Search metadata').fill('shop');
    const types = panel.getByRole('group', { name: 'Type' });
    await types.getByRole('button', { name: /^dataset/ }).click();
    await expect(types.getByRole('button', { name: /^dataset/ })).toHaveAttribute('aria-pressed', 'true');
    await expect(hits).toHaveCount(2);
    await expect(panel.getByRole('status')).toHaveText('2 entities');
    expect(await barriers(page, '.jp-Colophon-search')).toEqual([]);
  });

  await test.step('it is kept under a name, done again, and deleted', async () => {
    await panel.getByRole('button', { name: 'Save this search' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Tables of the shop');
    await page.keyboard.press('Enter');
    const kept = panel.getByRole('region', { name: 'Saved searches' });
    await panel.getByLabel('Search metadata').fill('');
    await kept.getByRole('button', { name: 'Tables of the shop', exact: true }).click();
    await expect(hits).toHaveCount(2);
    await expect(panel.getByRole('button', { name: /^dataset/ })).toHaveAttribute('aria-pressed', 'true');
    await panel.getByLabel('Search metadata').fill('');
    await kept.getByRole('button', { name: 'Delete the saved search Tables of the shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(kept).toHaveCount(0);
  });
});

test('tabs that were open come back with the layout, and opening one again finds it', async ({ page }) => {
  await recordShop(page);
  await openLab(page);
  await run(page, 'colophon:open-entity', { urn: table('orders') });
  await run(page, 'colophon:open-entity', { urn: table('orders') });
  await run(page, 'colophon:open-lineage', { urn: table('report') });
  // The layout is written a moment after the last tab was opened.
  await expect(async () => {
    const layout = await rememberedLayout(page);
    expect(layout).toContain('colophon-entity:');
    expect(layout).toContain('colophon-lineage:');
  }).toPass();
  await page.reload();
  await labReady(page);
  const tabs = page.getByRole('main').getByRole('tab');
  await expect(tabs.filter({ hasText: 'Lineage: shop.report' })).toHaveCount(1);
  await expect(tabs.filter({ hasText: 'orders' })).toHaveCount(1);
});

test('a lineage graph is walked with the keyboard, asked for by its controls, and there is a table', async ({
  page
}) => {
  await recordShop(page);
  await openLab(page);
  await run(page, 'colophon:open-lineage', { urn: table('report') });
  const graph = page.getByRole('group', { name: /^Lineage of shop.report/ });
  await expect(graph).toHaveAttribute('data-nodes', '3');
  await graph.getByRole('button', { name: 'report, dataset in shop' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(graph.getByRole('button', { name: /#join, program in default$/ })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(graph.getByRole('button', { name: 'orders, dataset in shop' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'orders' })).toBeVisible();
  await run(page, 'colophon:open-lineage', { urn: table('report') });
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Lineage as a table' })).toContainText('cell join');

  await test.step('direction and levels ask for less and for more', async () => {
    const load = PROGRAM.replace('#join', '#load');
    await record(page, { program: load, runId: 'shop-0', from: 'raw', to: 'orders' });
    await expect(graph.getByRole('button', { name: /^Show 1 more upstream of / })).toBeVisible();
    await page.getByLabel('Levels').selectOption('2');
    await expect(graph).toHaveAttribute('data-nodes', '5');
    await page.getByLabel('Direction').selectOption({ label: 'Where it goes' });
    await expect(graph).toHaveAttribute('data-nodes', '1');
    await page.getByLabel('Direction').selectOption({ label: 'Where it comes from' });
    await expect(graph).toHaveAttribute('data-nodes', '5');
    await page.getByRole('combobox', { name: /^Time/ }).selectOption({ label: 'Last hour' });
    await expect(graph).toHaveAttribute('data-nodes', '5');
  });

  await test.step('columns say of what a column is made', async () => {
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await graph.getByRole('button', { name: 'report, dataset in shop' }).click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await expect(details.getByRole('list', { name: 'Columns' })).toHaveText(
      'shop.report.total← shop.orders: price (aggregated)'
    );
    expect(await barriers(page, '.jp-Colophon-lineage')).toEqual([]);
  });

  await test.step('the page of a dataset has its profile, with a picture of how values are spread', async () => {
    const quantiles = [0.25, 0.5, 0.75].map(rank => ({ quantile: `${rank}`, value: `${rank * 100}` }));
    const column = { fieldPath: 'price', nullCount: 1, nullProportion: 0.25, uniqueCount: 3, quantiles };
    const fieldProfiles = [{ ...column, min: '0', max: '100', mean: '49.123456789', stdev: '20' }];
    const value = { timestampMillis: Date.now(), rowCount: 4, columnCount: 1, fieldProfiles };
    await tell(page, 'PUT', `entities/${encodeURIComponent(table('orders'))}/aspects/datasetProfile`, value);
    await run(page, 'colophon:open-entity', { urn: table('orders') });
    const profile = page.getByRole('region', { name: 'Profile' });
    await expect(profile.getByRole('row')).toHaveText([/^Column/, /^price1.*0100.*49\.1235/]);
    const told = 'Half of the values are between 25 and 75, the median is 50';
    await expect(profile.getByRole('img', { name: told })).toBeVisible();
    expect(await barriers(page, '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page')).toEqual([]);
  });

  await test.step('what people say of a column stands beside it, and is edited there', async () => {
    const fields = ['price', 'email'].map(fieldPath => ({ fieldPath, nativeDataType: 'string', nullable: true }));
    const platformSchema = { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } };
    const value = { schemaName: 'orders', platform: 'urn:li:dataPlatform:spark', version: 0, hash: '', platformSchema };
    await tell(page, 'PUT', `entities/${encodeURIComponent(table('orders'))}/aspects/schemaMetadata`, {
      ...value,
      fields
    });
    const email = `entities/${encodeURIComponent(`urn:li:schemaField:(${table('orders')},email)`)}/aspects/businessMetadata`;
    const schema = page.getByRole('region', { name: 'Schema' });
    await schema.getByRole('button', { name: 'Edit: email' }).click();
    const form = schema.getByRole('group', { name: 'Column email' });
    await expect(form.getByRole('textbox', { name: 'Tags', exact: true })).toBeFocused();
    await page.keyboard.type('confidential');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    const tags = schema.getByRole('list', { name: 'Tags and terms of email' });
    await expect(tags).toHaveText('confidential Tag, User metadata (USER)');
    await expect(schema.getByRole('button', { name: 'Edit: email' })).toBeFocused();
    await test.step('and it is described there, as the table is on its page', async () => {
      await schema.getByRole('button', { name: 'Describe email' }).click();
      await expect(form.getByRole('textbox', { name: 'Description' })).toBeFocused();
      await page.keyboard.type('Where to write to');
      await page.keyboard.press('Control+s');
      await expect(schema.getByRole('row', { name: /^email/ })).toContainText('Where to write to');
      const written = page.getByRole('region', { name: 'User metadata' });
      await written.getByRole('button', { name: 'Edit: Description' }).click();
      await written.getByRole('textbox', { name: 'Description' }).fill('What the shop sold');
      await page.keyboard.press('Control+s');
      await expect(written).toContainText('What the shop sold');
      await expect(written.getByRole('button', { name: 'Edit: Description' })).toBeVisible();
    });
    await tell(page, 'PUT', email, { properties: { owner: 'ops' }, tags: ['confidential', 'pii'] });
    await expect(tags.getByRole('listitem')).toHaveText([/^confidential /, /^pii /]);
    await expect(schema.getByRole('row', { name: /^email/ })).toContainText('ops');
    expect(await barriers(page, '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page')).toEqual([]);
  });

  await test.step('the page of a run of a pipeline has its stages and its log', async () => {
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
    const urn = await record(page, { program, runId: 'shop-2', from: source, to: sink, facts });
    await run(page, 'colophon:open-run', { urn });
    const stages = page.getByRole('region', { name: 'Stages' });
    await expect(stages.getByRole('row')).toHaveText([/^Stage/, 'readsucceeded520 ms', 'sumssucceeded521.5 s']);
    await expect(page.getByRole('region', { name: 'Log' })).toContainText('sums wrote');
    expect(await barriers(page, '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page')).toEqual([]);
  });
});
