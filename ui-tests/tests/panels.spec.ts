import { expect, test, type Page } from '@playwright/test';
import { ask, labReady, openLab, rememberedLayout, run, tell } from './lab';

const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.shop.ipynb#join)';

function table(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,shop.${name},PROD)`;
}

function aspectOf(name: string): string {
  return `entities/${encodeURIComponent(table(name))}/aspects/businessMetadata`;
}

/** A run of the cell `join`, which read `orders` and wrote `report`. */
async function recordShop(page: Page): Promise<void> {
  const start = new Date().toISOString();
  const recorded = (await tell(page, 'POST', 'runs', { program: PROGRAM, runId: 'shop-1', start })) as { urn: string };
  await tell(page, 'POST', `runs/${encodeURIComponent(recorded.urn)}/accesses`, {
    accesses: [
      { data: table('orders'), mode: 'read' },
      { data: table('report'), mode: 'write' }
    ]
  });
  await tell(page, 'PATCH', `runs/${encodeURIComponent(recorded.urn)}`, { status: 'succeeded', end: start });
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
  await about.getByRole('button', { name: 'Edit: What people wrote' }).click();
  await about.getByLabel('Value of owner').fill('mine');
  await tell(page, 'PUT', aspectOf('orders'), { properties: { owner: 'theirs' }, tags: [] });
  await about.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('alertdialog', { name: 'Conflict' });
  await expect(conflict).toContainText('theirs');
  await expect(conflict).toContainText('mine');
  type Owned = { value: { properties: { owner: string } } };
  expect((await ask<Owned>(page, aspectOf('orders'))).value.properties.owner).toBe('theirs');
  await conflict.getByRole('button', { name: 'Save mine over theirs' }).click();
  await expect(about.getByRole('region', { name: 'What people wrote' })).toContainText('mine');
  expect((await ask<Owned>(page, aspectOf('orders'))).value.properties.owner).toBe('mine');
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

test('a lineage graph is walked with the keyboard, and there is a table of it', async ({ page }) => {
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
  await expect(page.getByRole('table', { name: 'Lineage as a table' })).toContainText('orders');
});
