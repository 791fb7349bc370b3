import type { Page } from '@playwright/test';
import { writeApi } from '../tests/lab';

/** A table that a cell of a notebook has written. */
export const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)';
export const NOTEBOOK = 'sales.ipynb';
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.sales.ipynb#load)';

/** What `%metadata` shows of the table. */
const OUTPUT = {
  elements: [
    { kind: 'title', text: { text: 'sales.orders', urn: TABLE }, note: '' },
    { kind: 'tags', label: 'tags (USER)', words: ['daily'], key: 'tags' }
  ]
};

/** Opens a page of Notebook 7. */
export async function openNotebookPage(page: Page, path: string): Promise<void> {
  await page.goto(`${path}?token=${process.env.LAB_TEST_TOKEN ?? ''}`);
  await page.waitForFunction(() => window.jupyterapp !== undefined);
  await page.evaluate(() => window.jupyterapp.restored);
}

/** Records a table that the second cell of a notebook has written; returns the URN of the run. */
export async function recordTable(page: Page): Promise<string> {
  const start = new Date().toISOString();
  const facts = { notebook: NOTEBOOK, cellId: 'load', executionCount: 2 };
  const run = { program: PROGRAM, runId: 'sales-1', start, end: start, status: 'succeeded', facts };
  const { urn } = (await writeApi(page, 'POST', 'runs', run)) as { urn: string };
  const accesses = [{ data: TABLE, mode: 'write' }];
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, { accesses });
  return urn;
}

/** Returns the notebook whose second cell wrote the table; the first one shows it with `%metadata`. */
export function createNotebook(): object {
  const data = { 'text/plain': 'sales.orders', 'application/vnd.jupyter-colophon.page.v1+json': OUTPUT };
  const outputs = [{ output_type: 'display_data', data, metadata: {} }];
  const cell = (id: string, source: string, shown: object[]): object => ({
    ...{ cell_type: 'code', id, source, metadata: {}, outputs: shown, execution_count: null }
  });
  const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3' } };
  const cells = [cell('show', '%metadata sales.orders', outputs), cell('load', 'orders = [1, 2, 3]', [])];
  return { nbformat: 4, nbformat_minor: 5, metadata, cells };
}
