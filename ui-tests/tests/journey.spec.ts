import { expect, measureInk, openNotebook, readApi, runCommand, runInKernel, test } from './lab';

const DELAYS = 'urn:li:dataset:(urn:li:dataPlatform:spark,flights.daily_delays,PROD)';

test('the sample notebook is run, searched, edited and traced', async ({ page }, info) => {
  await test.step('the notebook runs from top to bottom', async () => {
    await openNotebook(page, 'flights.ipynb');
    await runCommand(page, 'notebook:run-all-cells');
    await expect(page.locator('.jp-Notebook .jp-OutputArea-output[data-mime-type*="stderr"]')).not.toContainText([
      'Error'
    ]);
    await expect(page.locator('.jp-Notebook')).toContainText('every morning');
  });

  const panel = page.getByRole('region', { name: 'Metadata', exact: true });
  await test.step('searching a value shows the table and its key', async () => {
    await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
    await panel.getByLabel('Search metadata').fill('ops');
    const hit = panel.getByRole('region', { name: 'Entities' }).getByRole('listitem').filter({ hasText: 'daily_delays' });
    await expect(hit.first()).toContainText('owner ops');
  });

  const about = page.locator('.jp-Colophon-page');
  await test.step('the page shows what users wrote, and folds what was recorded', async () => {
    await panel
      .getByRole('region', { name: 'Entities' })
      .getByRole('button', { name: /daily_delays/ })
      .click();
    await expect(about.getByRole('heading', { name: 'daily_delays' })).toBeVisible();
    await expect(about.getByRole('region', { name: 'Properties' })).toContainText('every morning');
    const recorded = about.getByRole('region', { name: 'Recorded metadata' });
    await recorded.getByText(/^Recorded by Spark/).click();
    await expect(recorded).toContainText('parquet');
    await expect(recorded).not.toContainText('every morning');
    await about.getByRole('tab', { name: /^Columns/ }).click();
    await expect(about.getByRole('region', { name: 'Columns' })).toContainText('mean_delay');
    await about.getByRole('tab', { name: 'Runs' }).click();
    await expect(about.getByRole('region', { name: 'Runs' })).toContainText('flights.ipynb');
    await about.getByRole('tab', { name: 'History' }).click();
    await expect(about.getByRole('tabpanel', { name: 'History' })).toContainText('owner');
    await about.getByRole('tab', { name: 'Overview' }).click();
  });

  await test.step('an invalid tag has an error, a valid one is saved', async () => {
    await about.getByRole('button', { name: 'Add a tag', exact: true }).click();
    await page.keyboard.type('not good!');
    await page.keyboard.press('Enter');
    await expect(about.getByRole('alert')).toContainText('The change was not saved');
    await about.getByRole('button', { name: 'Discard the change' }).click();
    await about.getByRole('button', { name: 'Add a tag', exact: true }).click();
    await page.keyboard.type('checked');
    await page.keyboard.press('Enter');
    await expect(about.getByRole('list', { name: 'Tags' })).toContainText('checked');
    const saved = await readApi<{ value: { tags: string[]; properties: Record<string, string> } }>(
      page,
      `entities/${encodeURIComponent(DELAYS)}/aspects/businessMetadata`
    );
    expect(saved.value).toEqual({ tags: ['checked'], properties: { owner: 'ops', refresh: 'every morning' } });
  });

  await test.step('changes of the notebook appear without reload', async () => {
    await runInKernel(page, '%metadata set flights.daily_delays steward=ada');
    await expect(about.getByRole('region', { name: 'Properties' })).toContainText('steward');
    await expect(about.getByRole('region', { name: 'Properties' })).toContainText('ada');
  });

  await test.step('lineage is drawn and expanded', async () => {
    await about.getByRole('button', { name: 'Lineage', exact: true }).click();
    const graph = page.getByRole('group', { name: /^Lineage of flights.daily_delays/ });
    for (const name of ['flights', 'weather', 'planes', 'daily_delays', 'carrier_report']) {
      await expect(graph.getByRole('button', { name: new RegExp(`^${name}, `) }).first()).toBeVisible();
    }
    // Eight thin curves are about 1.5 per mille of the pixels; an empty graph has none.
    await expect(async () => expect(await measureInk(graph.locator('canvas').first())).toBeGreaterThan(0.0005)).toPass();

    await page.screenshot({ path: info.outputPath('lineage-light.png') });
    const before = Number(await graph.getAttribute('data-nodes'));
    await graph.getByRole('button', { name: /^Show \d+ more upstream of flights$/ }).click();
    await expect(async () => expect(Number(await graph.getAttribute('data-nodes'))).toBeGreaterThan(before)).toPass();
  });

  await test.step('the graph is drawn in the dark theme', async () => {
    await runCommand(page, 'apputils:change-theme', { theme: 'JupyterLab Dark' });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', 'false');
    await expect(async () => {
      const canvas = page
        .getByRole('group', { name: /^Lineage of flights.daily_delays/ })
        .locator('canvas')
        .first();
      expect(await measureInk(canvas)).toBeGreaterThan(0.0005);
    }).toPass();
    await page.screenshot({ path: info.outputPath('lineage-dark.png') });
  });
});
