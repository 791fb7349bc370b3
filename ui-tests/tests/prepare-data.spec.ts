import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, findViolations, openLab, runCommand, test } from './lab';

/** Spark starts in a process of its own. */
const SPARK = { timeout: 120_000 };
const DIRECTIVES = [
  'trim :name',
  'uppercase :name',
  "parse-as-date :day 'dd.MM.yyyy'",
  'set-type :amount double',
  'filter-rows-on exp:{amount > 0}',
  'drop :comment'
];

test('a file is sampled, cleaned by six directives, published as a pipeline, run and traced', async ({ page }) => {
  // The server runs on this machine.
  const folder = mkdtempSync(join(tmpdir(), 'colophon-prepare-'));
  writeFileSync(
    join(folder, 'orders.csv'),
    'name,day,amount,comment\n Ada ,27.11.2026,1.5,\nBob,28.11.2026,0,\nCyd,29.11.2026,-2,late\n'
  );
  const database = join(folder, 'shop.db');
  const statement = "CREATE TABLE customers AS SELECT 1 AS id, 'Ada' AS name";
  execFileSync('python3', ['-c', 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])', database, statement]);
  await openLab(page);
  await page.getByRole('menuitem', { name: 'Settings', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Applications', exact: true }).click();
  await page
    .getByRole('region', { name: 'Applications', exact: true })
    .getByRole('button', { name: 'Prepare data', exact: true })
    .click();
  const panel = page.getByRole('region', { name: 'Prepare data of the application dataprep' });

  await test.step('a connection to a folder that is not permitted is refused at its field', async () => {
    await panel.getByRole('button', { name: 'New connection' }).click();
    await panel.getByLabel('Name', { exact: true }).fill('files');
    await panel.getByLabel('Folder', { exact: true }).fill('/etc');
    await page.keyboard.press('Enter');
    await expect(panel.getByLabel('Folder', { exact: true })).toHaveAccessibleDescription(/not a folder inside/);
    await panel.getByLabel('Folder', { exact: true }).fill(folder);
    await page.keyboard.press('Enter');
  });

  const browse = (connection: string): Promise<void> =>
    panel.getByRole('listitem', { name: connection, exact: true }).getByRole('button', { name: 'Browse' }).click();
  const sample = (entry: string): Promise<void> =>
    panel
      .getByRole('listitem', { name: entry, exact: true })
      .getByRole('button', { name: 'Create a workspace' })
      .click();
  const rows = panel.getByRole('table', { name: 'Rows of the sample' }).locator('tbody');

  await test.step('a table of a database is sampled', async () => {
    await panel.getByRole('button', { name: 'New connection' }).click();
    await panel.getByLabel('Name', { exact: true }).fill('shop');
    await panel.getByRole('combobox', { name: /^Type/ }).selectOption('Database');
    await panel.getByLabel('JDBC URL').fill(`jdbc:sqlite:${database}`);
    await page.keyboard.press('Enter');
    await browse('shop');
    await panel.getByRole('listitem', { name: 'main', exact: true }).getByRole('button', { name: 'Open' }).click();
    await sample('customers');
    await expect(rows).toHaveText('1Ada');
    await panel.getByRole('button', { name: 'All workspaces' }).click();
  });

  await test.step('a sample of a file is cleaned by directives', async () => {
    await browse('files');
    await sample('orders.csv');
    const steps = panel.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    for (const [at, directive] of DIRECTIVES.entries()) {
      await panel.getByLabel('Directive', { exact: true }).fill(directive);
      await page.keyboard.press('Enter');
      await expect(steps).toHaveCount(at + 1);
    }
    await expect(rows).toHaveText('ADA2026-11-271.5');
    expect(await findViolations(page, '.jp-Colophon-appPanel')).toEqual([]);
  });

  await test.step('its pipeline is run', async () => {
    await panel.getByLabel('Folder of the result').fill(join(folder, 'out'));
    await panel.getByRole('button', { name: 'Make it a pipeline' }).click();
    const about = page.locator('.jp-Colophon-instance:visible');
    await about.getByRole('tab', { name: 'Run', exact: true }).click();
    await about.getByRole('button', { name: 'Run now' }).click();
    await expect(about.getByRole('group', { name: 'Log' })).toContainText(/orderscsv +succeeded/, SPARK);
  });

  await test.step('the result is traced to the file', async () => {
    const urn = `urn:li:dataset:(urn:li:dataPlatform:file,${join(folder, 'out')},PROD)`;
    await runCommand(page, 'colophon:open-lineage', { urn });
    const graph = page.getByRole('group', { name: /^Lineage of / });
    await expect(graph).toHaveAttribute('data-nodes', '3');
    await expect(graph.getByRole('button', { name: /orders\.csv, dataset in/ })).toBeVisible();
  });
});
