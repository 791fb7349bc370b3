import type { Locator, Page } from '@playwright/test';
import { expect, openNotebook, runCommand, test, writeFile } from '../tests/lab';

const CELLS = [
  `import csv
from jupyter_colophon.spark.session import get_session
with open('visits.csv', 'w', newline='') as file:
    csv.writer(file).writerows([['id', 'ssn', 'ward', 'cost'], [1, '078-05-1120', 'A', 12.5], [2, '219-09-9999', 'B', 7.5]])
spark = get_session('visits')`,
  `spark.sql('CREATE DATABASE IF NOT EXISTS hospital')
visits = spark.read.csv('visits.csv', header=True, inferSchema=True)
visits.write.mode('overwrite').saveAsTable('hospital.visits')`,
  `report = spark.sql('SELECT ward, sum(cost) AS total FROM hospital.visits GROUP BY ward')
report.write.mode('overwrite').saveAsTable('hospital.report')`
];

/** Presses the mouse and the keys of a person, and counts the clicks and the fields that are filled in. */
class Person {
  clicks = 0;
  inputs = 0;

  constructor(private _page: Page) {}

  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks += 1;
  }

  /** Types into the field that has the focus. */
  async type(text: string, ...confirm: string[]): Promise<void> {
    await expect(this._page.locator('input:focus, textarea:focus, [contenteditable]:focus')).toHaveCount(1);
    await this._page.keyboard.type(text);
    this.inputs += 1;
    for (const key of confirm) {
      await this._page.keyboard.press(key);
    }
  }

  /** Opens the search, and the page of a table. */
  async openTable(name: string): Promise<void> {
    await this.click(this._page.getByRole('tab', { name: 'Metadata', exact: true }));
    await this.type(`hospital.${name}`);
    await this.click(
      this._page
        .locator('.jp-Colophon-entities')
        .getByRole('button', { name: new RegExp(`${name}\\b`) })
        .first()
    );
  }
}

/** The tasks; each starts on a notebook and the file browser, and ends when its answer is on the screen. */
const TASKS: Record<string, (page: Page, person: Person) => Promise<void>> = {
  'find the table that has the column ssn': async (page, person) => {
    await person.click(page.getByRole('tab', { name: 'Metadata', exact: true }));
    await person.type('ssn');
    await expect(page.locator('.jp-Colophon-entities').getByRole('listitem').first()).toContainText(/visits[\s\S]*ssn/);
  },
  'who made this number, and from what': async (page, person) => {
    await person.openTable('report');
    await person.click(page.locator('.jp-Colophon-page').getByRole('button', { name: 'Lineage', exact: true }));
    const panel = page.locator('.jp-Colophon-lineage:visible');
    await person.click(panel.getByRole('button', { name: 'Columns', exact: true }));
    await person.click(panel.getByRole('button', { name: 'column total of report' }));
    await expect(panel).toContainText(/cost/);
    await expect(panel.getByRole('button', { name: 'Open cell' }).first()).toBeVisible();
  },
  'describe a table and one of its columns': async (page, person) => {
    await person.openTable('visits');
    const body = page.locator('.jp-Colophon-page');
    await person.click(body.getByRole('button', { name: 'Add a description' }));
    await person.type('One row per visit', 'Control+Enter');
    await expect(body.getByText('One row per visit')).toBeVisible();
    await person.click(body.getByRole('tab', { name: /^Columns/ }));
    await person.click(
      body
        .getByRole('row')
        .filter({ hasText: 'ward' })
        .getByRole('button', { name: /^Describe/ })
    );
    await person.type('The ward of the first night', 'Control+Enter');
    await expect(body.getByRole('row').filter({ hasText: 'The ward of the first night' })).toBeVisible();
  },
  'what breaks if this column is removed': async (page, person) => {
    await person.openTable('visits');
    const body = page.locator('.jp-Colophon-page');
    await person.click(body.getByRole('tab', { name: /^Columns/ }));
    await person.click(
      body
        .getByRole('row')
        .filter({ hasText: 'cost' })
        .getByRole('button', { name: /Impact/ })
    );
    await expect(page.locator('body')).toContainText(/report[\s\S]*total/);
  },
  'what changed since Friday': async (page, person) => {
    await person.click(page.getByRole('tab', { name: 'Metadata activity', exact: true }));
    const panel = page.getByRole('region', { name: 'Metadata activity', exact: true });
    await expect(panel).toContainText('visits');
  }
};

test('clicks of five tasks', async ({ page }) => {
  const cells = CELLS.map((source, index) => ({
    cell_type: 'code',
    id: `cell${index}`,
    source,
    metadata: {},
    outputs: [],
    execution_count: null
  }));
  const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3' } };
  await writeFile(page, 'visits.ipynb', { nbformat: 4, nbformat_minor: 5, metadata, cells });
  await openNotebook(page, 'visits.ipynb');
  await runCommand(page, 'notebook:run-all-cells');
  await expect(page.locator('.jp-Notebook').getByRole('button', { name: '→ hospital.report' })).toBeVisible();
  const figures = [];
  for (const [task, perform] of Object.entries(TASKS)) {
    await openNotebook(page, 'visits.ipynb');
    const person = new Person(page);
    await perform(page, person);
    await page.screenshot({ path: test.info().outputPath(`${figures.length + 1}.png`) });
    figures.push({ task, clicks: person.clicks, inputs: person.inputs });
  }
  console.table(figures);
});
