import type { Locator } from '@playwright/test';
import { expect, findViolations, loadLab, openLab, runCommand, test, writeApi, writeFile } from './lab';
import { Proxy } from './proxy';

const FILE = 'entry-points.csv';
// The server's root is `~/notebooks`; the name of the home directory is not known here.
const DATA = `urn:li:dataset:(urn:li:dataPlatform:file,/home/ada/notebooks/${FILE},PROD)`;
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.entry-points.ipynb#load)';

test('entities are opened from the palette, the file browser and the status bar', async ({ page }, info) => {
  await writeFile(page, FILE, 'id,price\n1,2\n');
  await writeFile(page, 'unknown-entry.csv', 'id,price\n1,2\n');
  const start = { start: '2026-11-20T12:00:00.000Z', end: '2026-11-20T12:00:01.000Z', status: 'succeeded' };
  const run = (await writeApi(page, 'POST', 'runs', { ...start, program: PROGRAM, runId: 'entry' })) as { urn: string };
  const accesses = [{ data: DATA, mode: 'read' }];
  await writeApi(page, 'POST', `runs/${encodeURIComponent(run.urn)}/accesses`, { accesses });
  await openLab(page);

  await test.step('the palette asks for an entity and opens its lineage', async () => {
    await runCommand(page, 'apputils:activate-command-palette');
    await page.keyboard.type('Open Lineage of');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByRole('combobox', { name: 'Name of the entity' });
    await expect(field).toBeFocused();
    await page.keyboard.type('entry-poi');
    const choice = dialog.getByRole('option', { name: FILE });
    await expect(choice).toHaveAttribute('aria-selected', 'true');
    await page.screenshot({ path: info.outputPath('picker-light.png') });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('group', { name: /^Lineage of .*entry-points\.csv/ })).toBeVisible();
  });

  await test.step('the context menu of a file opens its page', async () => {
    await runCommand(page, 'filebrowser:activate');
    const openMenu = async (name: string): Promise<void> => {
      await page
        .getByRole('region', { name: 'File Browser Section' })
        .getByText(name, { exact: true })
        .click({ button: 'right' });
    };
    await openMenu(FILE);
    await page.screenshot({ path: info.outputPath('menu-light.png') });
    await page.getByRole('menuitem', { name: 'Metadata', exact: true }).click();
    await expect(page.locator('.jp-Colophon-page').getByRole('heading', { name: FILE })).toBeVisible();
    await openMenu('unknown-entry.csv');
    await page.getByRole('menuitem', { name: 'Lineage', exact: true }).click();
    await expect(page.getByText(/Nothing is recorded about “unknown-entry\.csv”/)).toBeVisible();
    await expect(page.locator('.Toastify__toast')).toBeInViewport({ ratio: 1 });
    await page.screenshot({ path: info.outputPath('unknown-light.png') });
  });

  await test.step('the launcher has cards', async () => {
    await runCommand(page, 'launcher:create');
    const launcher = page.locator('.jp-Launcher:visible').last();
    await expect(launcher.getByRole('button', { name: 'Search Metadata' })).toBeVisible();
    await expect(launcher.getByRole('button', { name: 'Prepare data' })).toBeVisible();
    await page.screenshot({ path: info.outputPath('launcher-light.png') });
    await launcher.getByRole('button', { name: 'Open Lineage of…' }).click();
    await expect(page.getByRole('dialog').getByRole('combobox', { name: 'Name of the entity' })).toBeFocused();
    await page.keyboard.press('Escape');
  });

  await test.step('the status bar opens the search', async () => {
    await page.getByRole('button', { name: 'Metadata: live' }).click();
    await expect(page.getByLabel('Search metadata')).toBeFocused();
  });

  await test.step('the status bar shows an outage of the server, and panels catch up after it', async () => {
    const proxy = new Proxy(new URL(page.url()));
    await proxy.start();
    const other = await page.context().newPage();
    await loadLab(other, proxy.url);
    const owner = (): Locator => other.locator('.jp-Colophon-page').getByRole('region', { name: 'About' });
    await runCommand(other, 'colophon:open-entity', { urn: DATA });
    await expect(owner()).not.toContainText('ops');
    await expect(other.getByRole('button', { name: 'Metadata: live' })).toBeVisible();

    // JupyterLab reports the outage in a dialog, too.
    const notice = other.getByRole('dialog').filter({ hasText: 'Server Connection Error' });
    await other.addLocatorHandler(notice, () => notice.getByRole('button').first().click());
    await proxy.stop();
    await other.getByRole('button', { name: 'Metadata: server unavailable' }).click();
    const dialog = other.getByRole('dialog').filter({ hasText: 'Metadata is not live' });
    await expect(dialog).toContainText('The server is unavailable');
    expect(await findViolations(other, '.jp-Dialog')).toEqual([]);
    await other.screenshot({ path: info.outputPath('away-light.png') });
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    const aspect = `entities/${encodeURIComponent(DATA)}/aspects/businessMetadata`;
    await writeApi(page, 'PUT', aspect, { properties: { owner: 'ops' }, tags: [] });

    await proxy.start();
    await expect(other.getByRole('button', { name: 'Metadata: live' })).toBeVisible();
    await expect(owner()).toContainText('ops');
    await other.close();
    await proxy.stop();
  });

  await test.step('the dialog has recent entities at once', async () => {
    const picked = runCommand(page, 'colophon:pick-entity');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('option', { name: FILE })).toBeVisible();
    await page.keyboard.press('Escape');
    await picked;
  });
});
