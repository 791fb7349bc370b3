import type { Locator } from '@playwright/test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, findViolations, openLab, test } from '../tests/lab';

const FOLDER = process.env.COLOPHON_DATAPREP_FOLDERS ?? '';
const DATA = join(FOLDER, 'churn.csv');
const TARGET = join(FOLDER, 'predicted.csv');

/** Customers, of whom the old ones in Oslo leave, mostly. */
function createCustomers(): string {
  const rows = Array.from({ length: 200 }, (_, number) => {
    const age = 20 + ((number * 7) % 60);
    const city = ['Rome', 'Oslo', 'Bern'][number % 3];
    const leaves = (age > 45 && city === 'Oslo') !== (number % 23 === 0);
    return `${age},${city},${leaves ? 'yes' : 'no'}`;
  });
  return ['age,city,churned', ...rows, ''].join('\n');
}

/** Trains a model, and waits until it is complete. */
async function trainModel(models: Locator, name: string, algorithm: string): Promise<void> {
  await models.getByRole('button', { name: 'New model' }).click();
  const form = models.getByRole('form', { name: 'New model' });
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Algorithm').selectOption(algorithm);
  await form.getByRole('button', { name: 'Train', exact: true }).click();
  await expect(models.getByRole('row').filter({ hasText: algorithm })).toContainText('complete');
}

test.beforeAll(() => writeFileSync(DATA, createCustomers()));
test.afterAll(() => rmSync(FOLDER, { recursive: true }));

test('data is split, and two models are trained, compared and applied', async ({ page }) => {
  await openLab(page);
  await page.getByRole('menuitem', { name: 'Settings', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Applications', exact: true }).click();
  await page.getByRole('button', { name: 'Train models', exact: true }).click();
  const splits = page.getByRole('region', { name: 'Splits', exact: true });
  const models = page.getByRole('region', { name: 'Models', exact: true });

  await test.step('an experiment uses the columns that the server has read', async () => {
    await page.getByRole('button', { name: 'New experiment' }).click();
    const form = page.getByRole('form', { name: 'New experiment' });
    await form.getByLabel('Name', { exact: true }).fill('churn');
    await form.getByLabel('Data', { exact: true }).fill(DATA);
    await form.getByRole('button', { name: 'Read columns' }).click();
    await expect(form.getByLabel('Outcome')).toHaveValue('churned');
    await expect(form.getByLabel('Type of age')).toHaveValue('numeric');
    await expect(form.getByLabel('Type of city')).toHaveValue('categorical');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByText('Classification of churned from age, city')).toBeVisible();
  });

  await test.step('the statistics of both parts of a split are shown', async () => {
    await splits.getByRole('button', { name: 'New split' }).click();
    const form = splits.getByRole('form', { name: 'New split' });
    await form.getByLabel('Name', { exact: true }).fill('half');
    await form.getByLabel('Training part (%)').fill('50');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(splits.getByRole('row').filter({ hasText: 'half' })).toContainText('complete');
    await splits.getByRole('button', { name: 'half', exact: true }).click();
    await expect(splits.getByRole('img', { name: /^age in the training part\. 20 – / })).toBeVisible();
    await expect(splits.getByRole('img', { name: /^city in the test part\. .*Oslo: \d+/ })).toBeVisible();
  });

  await test.step('two models are compared', async () => {
    await trainModel(models, 'linear', 'Logistic regression');
    await trainModel(models, 'trees', 'Random forest');
    await models.getByLabel('Compare linear').check();
    await models.getByLabel('Compare trees').check();
    const comparison = models.getByRole('region', { name: 'Comparison' });
    await expect(comparison.getByRole('listitem')).toHaveText(['linear', 'trees']);
    const metrics = /^Metrics of the test part\. Accuracy: linear 0\.\d+, trees 0\.\d+; /;
    await expect(comparison.getByRole('img', { name: metrics })).toBeVisible();
    await expect(comparison.getByRole('img', { name: /^ROC curve/ })).toBeVisible();
    await expect(comparison.getByRole('img', { name: /^Coefficients of linear\. .*city=Oslo/ })).toBeVisible();
    await expect(comparison.getByRole('img', { name: /^Importances of trees\. .*age/ })).toBeVisible();
    for (const name of ['linear', 'trees']) {
      const counts = comparison.getByRole('table', { name: `Confusion matrix of ${name}` }).getByRole('cell');
      await expect(counts).toHaveText([/^\d+$/, /^\d+$/, /^\d+$/, /^\d+$/]);
    }
    expect(await findViolations(page, '.jp-Analytics')).toEqual([]);
  });

  await test.step('a model is applied to a file', async () => {
    await models.getByRole('button', { name: 'trees', exact: true }).click();
    const details = models.getByRole('region', { name: 'Model trees' });
    await details.getByRole('button', { name: 'Apply to a file' }).click();
    const form = details.getByRole('form', { name: 'Apply to a file' });
    await form.getByLabel('Name', { exact: true }).fill('all');
    await form.getByLabel('Data', { exact: true }).fill(DATA);
    await form.getByLabel('Target').fill(TARGET);
    await form.getByLabel('Format').selectOption('csv');
    await form.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect(details.getByRole('row').filter({ hasText: TARGET })).toContainText('200complete');
    expect(readdirSync(TARGET)).toContain('_SUCCESS');
  });

  await test.step('a numeric outcome is predicted by a regression', async () => {
    await page.getByRole('button', { name: 'All experiments' }).click();
    await page.getByRole('button', { name: 'New experiment' }).click();
    const form = page.getByRole('form', { name: 'New experiment' });
    await form.getByLabel('Name', { exact: true }).fill('age');
    await form.getByLabel('Data', { exact: true }).fill(DATA);
    await form.getByRole('button', { name: 'Read columns' }).click();
    await form.getByLabel('Outcome').selectOption('age');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByText(/^Regression of age from /)).toBeVisible();
    await splits.getByRole('button', { name: 'New split' }).click();
    const split = splits.getByRole('form', { name: 'New split' });
    await split.getByLabel('Name', { exact: true }).fill('half');
    await split.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(splits.getByRole('row').filter({ hasText: 'half' })).toContainText('complete');
    await trainModel(models, 'line', 'Linear regression');
    await models.getByRole('button', { name: 'line', exact: true }).click();
    const details = models.getByRole('region', { name: 'Model line' });
    await expect(details.getByRole('table', { name: 'Metrics of line' }).getByRole('row')).toHaveCount(4);
    await expect(details.getByRole('img', { name: /predicted/i })).toBeVisible();
  });

  await test.step('the model has a page with its metrics and its data', async () => {
    const details = models.getByRole('region', { name: 'Model line' });
    await expect(details.getByRole('button', { name: 'Lineage of the model' })).toBeVisible();
    await details.getByRole('button', { name: 'Show the model' }).click();
    const model = page.getByRole('region', { name: 'Model', exact: true });
    await expect(
      model.getByRole('table', { name: 'Metrics' }).getByRole('row').filter({ hasText: 'rmse' })
    ).toHaveCount(2);
    await expect(
      model.getByRole('table', { name: 'Parameters' }).getByRole('row').filter({ hasText: 'maxIter' })
    ).toBeVisible();
    await expect(model.getByRole('button', { name: 'default.analytics.age.half.train' })).toBeVisible();
    expect(await findViolations(page, '.jp-Colophon-entity')).toEqual([]);
  });
});
