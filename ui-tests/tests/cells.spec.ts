import { expect, findViolations, openLab, readApi, runCommand, test, writeApi, writeFile } from './lab';

const PATH = 'cells.ipynb';
const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,cells.totals,PROD)';
const FLOW = 'urn:li:dataFlow:(colophon,notebook,default)';
const RENAMED = 'cells-renamed.ipynb';
const PAGE = {
  elements: [
    { kind: 'title', text: { text: 'cells.totals', urn: TABLE }, note: '<b>note</b>' },
    { kind: 'tags', label: 'tags (USER)', words: ['daily'], key: 'tags' }
  ]
};
const SOURCES = { load: '# Load the orders\norders = [1, 2, 3]', totals: 'total = sum(orders)' };

function program(id: string, path = PATH): string {
  return `urn:li:dataJob:(${FLOW},cells.${path}#${id})`;
}

async function hash(source: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  return `sha256:${Buffer.from(digest).toString('hex')}`;
}

test('cells are opened from their runs, and show what they wrote', async ({ page }, info) => {
  const cells = Object.entries(SOURCES).map(([id, source]) => ({
    cell_type: 'code',
    id,
    source,
    metadata: {},
    outputs: [],
    execution_count: null
  }));
  const data = { 'text/plain': 'cells.totals', 'application/vnd.jupyter-colophon.page.v1+json': PAGE };
  const outputs = [{ output_type: 'display_data', data, metadata: {} }];
  const spacer = { cell_type: 'markdown', id: 'space', source: '# Orders\n\n'.repeat(40), metadata: {} };
  const kernelspec = { name: 'python3', display_name: 'Python 3' };
  const content = { nbformat: 4, nbformat_minor: 5, metadata: { kernelspec }, cells: [cells[0], spacer, { ...cells[1], outputs }] };
  await writeFile(page, PATH, content);

  const start = { start: '2026-11-20T12:00:00.000Z', end: '2026-11-20T12:00:01.000Z', status: 'succeeded' };
  const facts = { notebook: PATH, cellId: 'totals', executionCount: 2, sourceHash: await hash(SOURCES.totals) };
  const document = { ...start, program: program('totals'), runId: 'r1', facts };
  const run = (await writeApi(page, 'POST', 'runs', document)) as { urn: string };
  const accesses = [{ data: TABLE, mode: 'write' }];
  await writeApi(page, 'POST', `runs/${encodeURIComponent(run.urn)}/accesses`, { accesses });

  await openLab(page);
  const body = page.locator('.jp-Colophon-page');
  await test.step('the page of a run opens the cell, selected and highlighted', async () => {
    await runCommand(page, 'colophon:open-run', { urn: run.urn });
    await expect(body.getByRole('heading', { name: 'Run of → cells.totals' })).toBeVisible();
    await body.getByRole('button', { name: 'Open cell' }).click();
    const cell = page.locator('.jp-Notebook .jp-Cell.jp-mod-active');
    await expect(cell).toContainText('total = sum(orders)');
    await expect(cell).toBeInViewport();
    await expect(page.locator('.jp-Colophon-flash')).toHaveCount(0);
  });

  await test.step('the cell has a badge and the toolbar a button with the data', async () => {
    const badge = page.locator('.jp-Notebook').getByRole('button', { name: '→ cells.totals' });
    await badge.click();
    await expect(page.getByRole('menuitem', { name: 'cells.totals (written)' })).toBeVisible();
    await page.screenshot({ path: info.outputPath('badge-light.png') });
    await page.keyboard.press('Escape');
    await expect(badge).toBeFocused();
    await page.getByRole('button', { name: 'Data of this notebook: 1' }).click();
    await expect(page.getByRole('menuitem', { name: 'cells.totals (written)' })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(body.getByRole('heading', { name: 'totals' })).toBeVisible();
  });

  await test.step('names in outputs open pages, and tags are searched', async () => {
    await runCommand(page, 'colophon:open-cell', { run: run.urn });
    const output = page.locator('.jp-Notebook .jp-Colophon-answer');
    await expect(output).toContainText('<b>note</b>');
    await output.getByRole('button', { name: 'daily' }).click();
    await expect(page.getByLabel('Search metadata')).toHaveValue('tags:daily');
    await page.getByLabel('Search metadata').press('Escape');
    await output.getByRole('button', { name: 'cells.totals' }).click();
    await expect(body.getByRole('heading', { name: 'totals' })).toBeVisible();
  });

  await test.step('the status bar shows whether the kernel records', async () => {
    await page.getByRole('button', { name: 'Metadata: recording' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('The kernel of the notebook records');
    expect(await findViolations(page, '.jp-Dialog')).toEqual([]);
    // A busy page may not have moved the focus into the dialog yet.
    await expect(async () => {
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0, { timeout: 2000 });
    }).toPass();
  });

  await test.step('the welcome has three steps with the first table, and goes away', async () => {
    await runCommand(page, 'colophon:show-search');
    const welcome = page.getByRole('region', { name: 'Welcome' });
    await expect(welcome.getByRole('listitem')).toHaveCount(3);
    expect(await findViolations(page, '.jp-Colophon-welcomeBox')).toEqual([]);
    await page.screenshot({ path: info.outputPath('welcome-light.png') });
    await welcome.getByRole('button', { name: 'Do not show this again' }).click();
    await expect(welcome).toHaveCount(0);
  });

  await test.step('the search panel lists what the current notebook wrote', async () => {
    await runCommand(page, 'colophon:show-search');
    const section = page.getByRole('region', { name: 'In this notebook' });
    await expect(section.getByRole('button', { name: /totals/ })).toContainText('written');
  });

  await test.step('a cell whose input is written later is stale with the reason, and is run from its badge', async () => {
    const document = { ...start, program: program('load'), runId: 'r0', facts: { notebook: PATH, cellId: 'load' } };
    const { urn } = (await writeApi(page, 'POST', 'runs', document)) as { urn: string };
    const read = { data: TABLE, mode: 'read', time: '2026-11-20T11:00:00.000Z' };
    await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, { accesses: [read] });
    const section = page.getByRole('group', { name: 'Stale cells' });
    await expect(section).toContainText('cells.totals was written by another cell on');
    expect(await findViolations(page, '.jp-Colophon-staleCells')).toEqual([]);
    await runCommand(page, 'colophon:open-cell', { path: PATH, cell: 'load' });
    const badge = page.locator('.jp-Notebook').getByRole('button', { name: /^Stale: cells\.totals was written by / });
    await badge.scrollIntoViewIfNeeded();
    await page.screenshot({ path: info.outputPath('stale-light.png') });
    await badge.click();
    await page.getByRole('menuitem', { name: 'Run Stale Cells' }).click();
    await expect(page.locator('.jp-Cell').filter({ hasText: '# Load the orders' })).toContainText(/\[\d+\]:/);
  });

  await test.step('a cell that has changed or is gone is reported with the time of the run', async () => {
    const { urn } = (await writeApi(page, 'POST', 'runs', {
      ...document,
      runId: 'r2',
      start: '2026-11-19T12:00:00.000Z',
      facts: { ...facts, sourceHash: await hash('total = 0') }
    })) as { urn: string };
    await runCommand(page, 'colophon:open-cell', { run: urn });
    await expect(page.getByText(/^This cell has changed since this run\. It ran on .*2026/)).toBeVisible();
    await runCommand(page, 'colophon:open-cell', { path: PATH, cell: 'deleted' });
    await expect(page.getByText(`The cell is no longer in “${PATH}”.`)).toBeVisible();
    await runCommand(page, 'colophon:open-cell', { path: 'gone.ipynb', cell: 'totals' });
    await expect(page.getByText('The notebook “gone.ipynb” does not exist any more.')).toBeVisible();
  });
  await page.screenshot({ path: info.outputPath('cells-light.png') });

  await test.step('a notebook that is renamed keeps its history', async () => {
    await page.evaluate(([from, to]) => window.jupyterapp.serviceManager.contents.rename(from, to), [PATH, RENAMED] as const);
    await expect(async () => {
      const { runs } = await readApi<{ runs: unknown[] }>(page, `cell-runs?notebook=${RENAMED}`);
      expect(runs).toHaveLength(2);
    }).toPass();
    await runCommand(page, 'colophon:open-run', { urn: run.urn });
    await expect(body.getByText(`${RENAMED} [2]`)).toBeVisible();
    await body.getByRole('button', { name: 'Open cell' }).click();
    await expect(page.locator('.jp-Notebook .jp-Cell.jp-mod-active')).toContainText('total = sum(orders)');
    await runCommand(page, 'colophon:show-search');
    const section = page.getByRole('region', { name: 'In this notebook' });
    await expect(section.getByRole('button', { name: /totals/ })).toContainText('written');
  });
});
