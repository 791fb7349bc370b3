import type { ConsoleMessage, Page } from '@playwright/test';
import { expect, runCommand, test, waitForKernel, writeApi } from '../tests/lab';

const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)';
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),sales.ipynb)';

/** Opens a page of Notebook 7. */
async function openNotebookPage(page: Page, path: string): Promise<void> {
  await page.goto(`${path}?token=${process.env.LAB_TEST_TOKEN ?? ''}`);
  await page.waitForFunction(() => window.jupyterapp !== undefined);
  await page.evaluate(() => window.jupyterapp.restored);
}

/** Records a table that a run has written. */
async function recordTable(page: Page): Promise<void> {
  const start = new Date().toISOString();
  const run = { program: PROGRAM, runId: 'sales-1', start, end: start, status: 'succeeded' };
  const { urn } = (await writeApi(page, 'POST', 'runs', run)) as { urn: string };
  const accesses = [{ data: TABLE, mode: 'write' }];
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, { accesses });
}

test('panels, pages and graphs open in Notebook 7', async ({ page }, info) => {
  const errors: string[] = [];
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' && /colophon/i.test(message.text())) {
      errors.push(message.text());
    }
  });
  await recordTable(page);
  await openNotebookPage(page, 'tree');
  const tabs = page.locator('#main-panel .lm-TabBar-tab');

  await test.step('beside the list of files, pages and graphs are tabs', async () => {
    await runCommand(page, 'colophon:open-entity', { urn: TABLE });
    await expect(page.locator('.jp-Colophon-page').getByRole('heading', { name: 'orders' })).toBeVisible();
    await expect(tabs.filter({ hasText: 'orders' })).toHaveCount(1);
    await page.locator('.jp-Colophon-page').getByRole('button', { name: 'Lineage', exact: true }).click();
    await expect(page.getByRole('group', { name: /^Lineage of sales.orders/ })).toHaveAttribute('data-nodes', '2');
    await expect(tabs.filter({ hasText: 'orders' })).toHaveCount(2);
    await page.screenshot({ path: info.outputPath('tree.png') });
    await tabs.filter({ hasText: 'orders' }).last().locator('.lm-TabBar-tabCloseIcon').click();
    await expect(tabs.filter({ hasText: 'orders' })).toHaveCount(1);
    await runCommand(page, 'colophon:open-entity', { urn: TABLE });
    await expect(tabs.filter({ hasText: 'orders' })).toHaveCount(1);
    await runCommand(page, 'colophon:edit-instance', { space: 'code-snippets', schema: 'code-snippet' });
    await expect(page.locator('.jp-Colophon-instance').getByLabel('Name *')).toBeVisible();
  });

  await test.step('the panels open beside the list of files', async () => {
    await runCommand(page, 'colophon:show-search');
    await page.getByLabel('Search metadata').fill('orders');
    await expect(page.locator('.jp-Colophon-entities')).toContainText('orders');
    await runCommand(page, 'colophon:show-schemaspaces');
    await expect(page.getByRole('region', { name: 'Schemaspaces', exact: true })).toBeVisible();
    await runCommand(page, 'colophon:show-activity');
    await expect(page.getByRole('region', { name: 'Metadata activity' })).toContainText('orders');
    await page.screenshot({ path: info.outputPath('panels.png') });
  });

  await test.step('beside a notebook, pages and graphs open in the right sidebar', async () => {
    await openNotebookPage(page, 'notebooks/flights.ipynb');
    await waitForKernel(page);
    await runCommand(page, 'colophon:open-entity', { urn: TABLE });
    await expect(page.locator('.jp-Colophon-page').getByRole('heading', { name: 'orders' })).toBeVisible();
    await page.screenshot({ path: info.outputPath('notebook-page.png') });
    await runCommand(page, 'colophon:open-lineage', { urn: TABLE });
    await expect(page.getByRole('group', { name: /^Lineage of sales.orders/ })).toHaveAttribute('data-nodes', '2');
    await runCommand(page, 'colophon:show-search');
    await expect(page.getByLabel('Search metadata')).toBeVisible();
    await page.screenshot({ path: info.outputPath('notebook.png') });
  });
  expect(errors).toEqual([]);
});
