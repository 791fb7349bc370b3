import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

/** Starts a broker of Kafka with a topic; it ends with its standard input. Resolves to its address. */
function startBroker(topics: object): { servers: Promise<string>; stop(): void } {
  const root = resolve(import.meta.dirname, '../..');
  const broker = spawn(join(root, '.venv/bin/python'), ['-m', 'support.kafka.run_broker', JSON.stringify(topics)], {
    env: { ...process.env, PYTHONPATH: join(root, 'tests') },
    stdio: ['pipe', 'pipe', 'inherit']
  });
  const servers = once(broker.stdout, 'data').then(([line]) => String(line).trim());
  return { servers, stop: () => broker.stdin.end() };
}

test('a file is sampled, cleaned by six directives, published as a pipeline, run and traced', async ({ page, folder }) => {
  writeFileSync(
    join(folder, 'orders.csv'),
    'name;day;amount;comment\n Ada ;27.11.2026;1.5;\nBob;28.11.2026;0;\nCyd;29.11.2026;-2;late\nEve;30.11.2026;many;\n'
  );
  // It starts while the steps before it run.
  const broker = startBroker({ clicks: [{ page: '/home' }] });
  const database = join(folder, 'shop.db');
  const statement = "CREATE TABLE customers AS SELECT 1 AS id, 'Ada' AS name";
  execFileSync('python3', [
    '-c',
    'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])',
    database,
    statement
  ]);
  await openLab(page);
  await runCommand(page, 'launcher:create');
  await page.locator('.jp-Launcher:visible').last().getByRole('button', { name: 'Prepare data' }).click();
  const panel = page.getByRole('region', { name: 'Prepare data of the application dataprep' });

  await test.step('a connection to a folder that is not permitted is refused at its field', async () => {
    await panel.getByRole('button', { name: 'New connection' }).click();
    await panel.getByLabel('Name', { exact: true }).fill('files');
    await panel.getByLabel('Folder', { exact: true }).fill('/etc');
    await page.keyboard.press('Enter');
    await expect(panel.getByLabel('Folder', { exact: true })).toHaveAccessibleDescription(/not a folder inside/);
    await panel.getByLabel('Folder', { exact: true }).fill(folder);
    await panel.getByRole('combobox', { name: 'Delimiter of CSV' }).selectOption('Semicolon');
    await panel.getByRole('button', { name: 'Test' }).click();
    await expect(panel.getByRole('status').getByText('The connection works: the folder has 2 entries')).toBeVisible();
    await panel.getByRole('button', { name: 'Save' }).click();
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

  await test.step('a topic is sampled, with a password that is stored as a secret', async () => {
    await panel.getByRole('button', { name: 'New connection' }).click();
    const form = panel.getByRole('form', { name: 'New connection' });
    await form.getByLabel('Name', { exact: true }).fill('events');
    await form.getByRole('combobox', { name: /^Type/ }).selectOption('Kafka');
    await form.getByLabel(/^Servers/).fill(await broker.servers);
    await form.getByRole('combobox', { name: 'Security' }).selectOption('SASL_PLAINTEXT');
    await form.getByLabel('User').fill('relay');
    await form.getByRole('button', { name: 'New secret' }).click();
    await form.getByLabel('Name of the secret').fill('events');
    await form.getByLabel('Password', { exact: true }).fill('of-both-sides');
    await page.keyboard.press('Enter');
    await expect(form.getByRole('combobox', { name: 'Secret with the password' })).toHaveValue('events');
    expect(await findViolations(page, '.jp-Colophon-appPanel')).toEqual([]);
    await form.getByRole('button', { name: 'Test' }).click();
    await expect(form.getByText('The connection works: Kafka with 1 topic')).toBeVisible();
    await form.getByRole('button', { name: 'Save' }).click();
    await browse('events');
    await sample('clicks');
    await expect(rows).toHaveText('/home');
    await panel.getByRole('button', { name: 'All workspaces' }).click();
    broker.stop();
  });

  await test.step('the button that deletes a connection names it', async () => {
    await panel.getByRole('button', { name: 'Delete the connection events' }).click();
    await panel.getByRole('button', { name: 'Delete the connection events?' }).click();
    await expect(panel.getByRole('listitem', { name: 'events', exact: true })).toHaveCount(0);
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
    const directive = panel.getByLabel('Directive', { exact: true });
    await directive.fill('trim :title');
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('alert')).toHaveText('unknown column title; available: name, day, amount');
    await directive.fill('');
    await panel.getByRole('button', { name: 'Column name', exact: true }).click();
    await panel.getByText('By example', { exact: true }).click();
    const example = panel.getByRole('form', { name: 'By example' });
    await example.getByLabel('ADA').fill('what no directive makes');
    await page.keyboard.press('Enter');
    await expect(panel.getByText(/^No directive makes all of these values.*replace-value/)).toBeVisible();
    expect(await findViolations(page, '.jp-Colophon-appPanel')).toEqual([]);
  });

  await test.step('its pipeline is run', async () => {
    const choice = panel.getByRole('combobox', { name: 'Rows that a directive cannot process' });
    await expect(choice).toHaveValue('skip');
    await expect(choice).toHaveAccessibleDescription('1 row of the sample is rejected.');
    await choice.selectOption('They are written to a folder');
    await panel.getByLabel('Folder of the result').fill(join(folder, 'out'));
    await panel.getByRole('button', { name: 'Make it a pipeline' }).click();
    const about = page.locator('.jp-Colophon-instance:visible');
    await about.getByRole('tab', { name: 'Run', exact: true }).click();
    await about.getByRole('button', { name: 'Run now' }).click();
    const log = about.getByRole('group', { name: 'Log' });
    await expect(log).toContainText(/orderscsv +succeeded/, SPARK);
    await expect(log).toContainText('wrangle rejected: 1');
    expect(readdirSync(join(folder, 'out-rejected')).some(name => name.endsWith('.parquet'))).toBe(true);
  });

  await test.step('the result is traced to the file', async () => {
    const urn = `urn:li:dataset:(urn:li:dataPlatform:file,${join(folder, 'out')},PROD)`;
    await runCommand(page, 'colophon:open-lineage', { urn });
    const graph = page.getByRole('group', { name: /^Lineage of / });
    await expect(graph).toHaveAttribute('data-nodes', '3');
    await expect(graph.getByRole('button', { name: /orders\.csv, dataset in/ })).toBeVisible();
  });
});
