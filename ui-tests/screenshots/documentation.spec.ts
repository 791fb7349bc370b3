import type { Locator, Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createSnippet, openPanel, getRow } from '../tests/instances';
import { expect, openNotebook, readApi, runCommand, test, writeApi, writeFile } from '../tests/lab';

const IMAGES = '../docs/images';
const DELAYS = 'urn:li:dataset:(urn:li:dataPlatform:spark,flights.daily_delays,PROD)';
const THEMES = ['Light', 'Dark'];

/** Takes a screenshot in the light and in the dark theme. */
async function capture(page: Page, name: string): Promise<void> {
  for (const theme of THEMES) {
    await runCommand(page, 'apputils:change-theme', { theme: `JupyterLab ${theme}` });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', String(theme === 'Light'));
    // The style sheet of a theme is loaded, and canvases are drawn, shortly after its name is set.
    await page.waitForTimeout(1000);
    await page.mouse.move(1279, 799);
    await page.screenshot({
      path: `${IMAGES}/${name}-${theme.toLowerCase()}.png`,
      animations: 'disabled',
      caret: 'hide'
    });
  }
}

/** Describes the table and its columns as its users would. */
async function describeTable(page: Page): Promise<void> {
  const table = `entities/${encodeURIComponent(DELAYS)}/aspects`;
  await writeApi(page, 'PUT', `${table}/editableDatasetProperties`, {
    description: 'Mean departure delay of each carrier by day and airport, with wind and seats.'
  });
  await writeApi(page, 'PUT', `${table}/editableSchemaMetadata`, {
    editableSchemaFieldInfo: [
      { fieldPath: 'origin', description: 'Airport of departure: EWR, JFK or LGA' },
      { fieldPath: 'mean_delay', description: 'Minutes; negative for early departures' },
      { fieldPath: 'mean_wind', description: 'Miles per hour at the time of departure' }
    ]
  });
  await writeApi(page, 'PUT', `${table}/businessMetadata`, {
    properties: { owner: 'ops', refresh: 'every morning' },
    tags: ['published', 'reviewed']
  });
  const column = encodeURIComponent(`urn:li:schemaField:(${DELAYS},mean_delay)`);
  await writeApi(page, 'PUT', `entities/${column}/aspects/businessMetadata`, {
    properties: { unit: 'min' },
    tags: ['kpi']
  });
}

async function closeTab(page: Page): Promise<void> {
  await runCommand(page, 'application:close');
}

test('capture the screenshots of the documentation', async ({ page }) => {
  await openNotebook(page, 'flights.ipynb');
  await runCommand(page, 'notebook:run-all-cells');
  await expect(page.locator('.jp-Notebook')).toContainText('every morning');
  await describeTable(page);
  const panel = page.getByRole('region', { name: 'Metadata', exact: true });

  await test.step('the notebook with %metadata', async () => {
    await runCommand(page, 'application:toggle-left-area');
    await page.getByText('%metadata tag flights.flights').scrollIntoViewIfNeeded();
    await page.locator('.jp-Cell').filter({ hasText: '%metadata lineage' }).locator('canvas').first().waitFor();
    await page
      .locator('.jp-Cell')
      .filter({ hasText: '%metadata tag flights.flights' })
      .evaluate(cell => cell.scrollIntoView({ block: 'start' }));
    await capture(page, 'notebook');
    await runCommand(page, 'application:toggle-left-area');
  });

  await test.step('the search sidebar', async () => {
    await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
    await panel.getByLabel('Search metadata').fill('delay');
    await expect(panel.getByRole('region', { name: 'Entities' })).toContainText('daily_delays');
    await capture(page, 'search');
  });

  const about = page.locator('.jp-Colophon-page');
  await test.step('the page of a table', async () => {
    await runCommand(page, 'colophon:open-entity', { urn: DELAYS });
    await runCommand(page, 'application:toggle-left-area');
    await about.getByRole('tab', { name: /^Columns/ }).click();
    await expect(about.getByRole('region', { name: 'Columns' })).toContainText('mean_delay');
    await capture(page, 'table-page');
    await about.getByRole('tab', { name: 'Overview' }).click();
    await expect(about.getByRole('button', { name: 'Edit: Description' })).toBeVisible();
    await capture(page, 'overview');
    await about.getByRole('tab', { name: 'Runs' }).click();
    await expect(about.getByRole('tabpanel')).toContainText('flights.ipynb');
    await capture(page, 'runs');
    await about.getByRole('tab', { name: 'History' }).click();
    await expect(about.getByRole('tabpanel')).toContainText('published');
    await capture(page, 'history');
  });

  await test.step('the edit form of the table', async () => {
    await about.getByRole('tab', { name: 'Overview' }).click();
    await about.getByRole('button', { name: 'Edit: Description' }).click();
    await expect(about.getByRole('textbox', { name: 'Description' })).toBeVisible();
    await capture(page, 'edit-form');
    await about.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('the lineage viewer', async () => {
    await runCommand(page, 'colophon:open-lineage', { urn: DELAYS });
    const graph = page.getByRole('group', { name: /^Lineage of flights.daily_delays/ });
    await expect(graph.getByRole('button', { name: /^carrier_report, / }).first()).toBeVisible();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await graph.getByRole('button', { name: /^daily_delays, / }).click();
    await expect(page.getByRole('list', { name: 'Columns' })).toContainText('mean_delay');
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await capture(page, 'lineage');
    await closeTab(page);
  });

  await test.step('the latest changes and runs', async () => {
    await runCommand(page, 'colophon:show-activity');
    await expect(page.getByRole('region', { name: 'Metadata activity' })).toContainText('daily_delays');
    await capture(page, 'activity');
    await runCommand(page, 'application:toggle-right-area');
  });

  await test.step('the canvas of a pipeline', async () => {
    const pipeline = JSON.parse(readFileSync('../examples/pipeline.json', 'utf8')) as { metadata: object };
    const metadata = { ...pipeline.metadata, namespace: 'flights' };
    await writeApi(page, 'POST', 'schemaspaces/pipelines/instances', { ...pipeline, metadata });
    await runCommand(page, 'colophon:edit-instance', { space: 'pipelines', schema: 'pipeline', name: 'staff' });
    await expect(page.getByRole('tab', { name: 'Canvas' })).toBeVisible();
    await page.waitForTimeout(1000);
    await capture(page, 'pipeline');
    await closeTab(page);
  });

  await test.step('the form of an instance of a schemaspace', async () => {
    const load = ['from pyspark.sql import DataFrame', '', 'def load(path: str) -> DataFrame:'];
    await createSnippet(page, 'Load a CSV file', {
      description: 'Reads a CSV file with a header into a DataFrame',
      tags: ['spark', 'csv'],
      code: [...load, '    return spark.read.csv(path, header=True, inferSchema=True)']
    });
    await createSnippet(page, 'Count nulls', { tags: ['spark'], description: 'Counts the nulls of each column' });
    await createSnippet(page, 'Delays by carrier', { language: 'SQL', tags: ['flights'], code: ['SELECT carrier'] });
    await runCommand(page, 'application:toggle-left-area');
    const spaces = await openPanel(page);
    await getRow(spaces, 'Load a CSV file').getByRole('button').first().click();
    await expect(page.locator('.jp-Colophon-instance').getByRole('textbox', { name: 'Code' })).toBeVisible();
    await capture(page, 'schemaspaces-form');
  });
});

test('capture stale cells and variables', async ({ page }) => {
  const notebook = 'flights-pandas.ipynb';
  await writeFile(page, notebook, JSON.parse(readFileSync(`../examples/${notebook}`, 'utf8')) as object);
  await openNotebook(page, notebook);
  await runCommand(page, 'notebook:run-all-cells');
  const cell = (text: string): Locator => page.locator('.jp-CodeCell').filter({ hasText: text });
  await expect(cell('edges = %metadata lineage').locator('.jp-OutputArea')).toContainText('dep_delay');
  await runCommand(page, 'docmanager:save');

  await test.step('the stale cells', async () => {
    await cell('flights.dropna').locator('.cm-content').click();
    await page.keyboard.press('Control+Enter');
    await runCommand(page, 'colophon:show-search');
    const dismiss = page.getByRole('button', { name: 'Do not show this again' });
    await dismiss.click();
    await expect(page.getByRole('group', { name: 'Stale cells' }).getByRole('listitem')).toHaveCount(4);
    await cell('flights.dropna').evaluate(element => element.scrollIntoView({ block: 'start' }));
    await expect(page.getByRole('button', { name: /^Stale: / }).first()).toBeVisible();
    await capture(page, 'stale-cells');
  });

  await test.step('the variables through which data flows', async () => {
    const { hits } = await readApi<{ hits: { urn: string }[] }>(page, 'search?q=daily_delays.parquet');
    await runCommand(page, 'application:toggle-left-area');
    await runCommand(page, 'colophon:open-lineage', { urn: hits[0]!.urn });
    await page.getByRole('combobox', { name: 'Direction' }).selectOption('upstream');
    await page.getByRole('combobox', { name: 'Levels' }).selectOption('3');
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    const graph = page.getByRole('group', { name: /^Lineage of / });
    await expect(graph.getByRole('button', { name: /#flown, / })).toBeVisible();
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await capture(page, 'variables');
    await closeTab(page);
  });
});
