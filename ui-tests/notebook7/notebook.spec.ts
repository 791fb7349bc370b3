import type { ConsoleMessage } from '@playwright/test';
import { expect, runCommand, test, waitForKernel, writeFile } from '../tests/lab';
import { NOTEBOOK, TABLE, createNotebook, openNotebookPage, recordTable } from './pages';

test('panels, pages and graphs open in Notebook 7', async ({ page }, info) => {
  const errors: string[] = [];
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' && /colophon/i.test(message.text())) {
      errors.push(message.text());
    }
  });
  await recordTable(page);
  await writeFile(page, NOTEBOOK, createNotebook());
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

  await test.step('the context menu of a file opens its page, and a link to a cell its notebook', async () => {
    await page.locator('#main-panel .lm-TabBar-tab').first().click();
    await page.getByText(NOTEBOOK, { exact: true }).first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Metadata', exact: true }).click();
    const about = page.locator('.jp-Colophon-page:visible');
    await expect(page.getByRole('region', { name: /^Metadata of sales\.ipynb/ })).toBeVisible();
    await runCommand(page, 'colophon:open-entity', { urn: TABLE });
    await expect(about.getByRole('button', { name: 'Insert into notebook' })).toHaveCount(0);
    const opening = page.context().waitForEvent('page');
    await about
      .locator('header')
      .getByRole('button', { name: /sales\.ipynb/ })
      .click();
    const notebook = await opening;
    const active = notebook.locator('.jp-Notebook .jp-Cell.jp-mod-active');
    await expect(active).toContainText('orders = [1, 2, 3]');
    await expect(notebook).toHaveURL(/sales\.ipynb$/);
    await notebook.close();
  });

  await test.step('beside a notebook, pages and graphs open in the right sidebar', async () => {
    await openNotebookPage(page, `notebooks/${NOTEBOOK}`);
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

  await test.step('cells, the toolbar and outputs of a notebook open pages', async () => {
    const about = page.locator('.jp-Colophon-page:visible');
    const hidePage = (): Promise<void> => page.evaluate(() => window.jupyterapp.shell.collapseRight());
    for (const name of ['→ sales.orders', 'Data of this notebook: 1']) {
      await hidePage();
      await page.locator('#main-panel').getByRole('button', { name }).click();
      await page.getByRole('menuitem', { name: 'sales.orders (written)' }).click();
      await expect(about.getByRole('heading', { name: 'orders' })).toBeVisible();
    }
    await hidePage();
    const output = page.locator('.jp-Notebook .jp-Colophon-answer');
    await output.getByRole('button', { name: 'sales.orders' }).click();
    await expect(about.getByRole('heading', { name: 'orders' })).toBeVisible();
    await output.getByRole('button', { name: 'daily' }).click();
    await expect(page.getByLabel('Search metadata')).toHaveValue('tags:daily');
    await about.getByRole('button', { name: 'Insert into notebook' }).click();
    await expect(page.locator('.jp-Notebook')).toContainText('orders = spark.table("sales.orders")');
  });
  expect(errors).toEqual([]);
});
