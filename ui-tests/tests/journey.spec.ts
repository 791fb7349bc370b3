import { expect, test } from '@playwright/test';
import { ask, ink, inKernel, kernelReady, openLab, run } from './lab';

const DELAYS = 'urn:li:dataset:(urn:li:dataPlatform:spark,flights.daily_delays,PROD)';

test('somebody runs the sample notebook, finds a table, edits it and traces it', async ({ page }, info) => {
  await test.step('the notebook runs from top to bottom', async () => {
    await openLab(page, 'lab/tree/flights.ipynb');
    await kernelReady(page);
    await run(page, 'notebook:run-all-cells');
    await expect(page.locator('.jp-Notebook .jp-OutputArea-output[data-mime-type*="stderr"]')).not.toContainText([
      'Error'
    ]);
    await expect(page.locator('.jp-Notebook')).toContainText('every morning');
  });

  const panel = page.getByRole('region', { name: 'Metadata', exact: true });
  await test.step('typing a value shows the key that says it, then the table', async () => {
    await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
    await panel.getByLabel('Search metadata').fill('ops');
    await expect(panel.getByRole('region', { name: 'Keys' })).toContainText('owner');
    await expect(panel.getByRole('region', { name: 'Entities' })).toContainText('daily_delays');
  });

  const about = page.locator('.jp-Colophon-page');
  await test.step('its page keeps apart what people and what machines wrote', async () => {
    await panel
      .getByRole('region', { name: 'Entities' })
      .getByRole('button', { name: /daily_delays/ })
      .click();
    await expect(about.getByRole('heading', { name: 'daily_delays' })).toBeVisible();
    await expect(about.getByRole('region', { name: 'User metadata' })).toContainText('every morning');
    await expect(about.getByRole('region', { name: 'System metadata' })).toContainText('parquet');
    await expect(about.getByRole('region', { name: 'System metadata' })).not.toContainText('every morning');
    await expect(about.getByRole('region', { name: 'Schema' })).toContainText('mean_delay');
    await expect(about.getByRole('region', { name: 'Runs' })).toContainText('flights.ipynb');
    await expect(about.getByRole('region', { name: 'History' })).toContainText('owner');
  });

  await test.step('an invalid tag is told at its field, and a valid one is saved', async () => {
    await about.getByRole('button', { name: 'Edit: User metadata' }).click();
    const tags = about.getByLabel('Tags', { exact: true }).last();
    await tags.fill('not good!');
    await tags.press('Enter');
    await expect(about.getByRole('alert')).toContainText('Only the letters A to Z, digits, _ and -');
    await about.getByRole('button', { name: 'Remove not good!' }).click();
    await tags.fill('checked');
    await tags.press('Enter');
    await about.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(about.getByRole('button', { name: 'Save', exact: true })).toBeHidden();
    await expect(about.getByRole('region', { name: 'User metadata' })).toContainText('checked');
    const saved = await ask<{ value: { tags: string[]; properties: Record<string, string> } }>(
      page,
      `entities/${encodeURIComponent(DELAYS)}/aspects/businessMetadata`
    );
    expect(saved.value).toEqual({ tags: ['checked'], properties: { owner: 'ops', refresh: 'every morning' } });
  });

  await test.step('what the notebook writes appears without a reload', async () => {
    await inKernel(page, '%metadata set flights.daily_delays steward=ada');
    await expect(about.getByRole('region', { name: 'User metadata' })).toContainText('steward');
    await expect(about.getByRole('region', { name: 'User metadata' })).toContainText('ada');
  });

  await test.step('its lineage is drawn, and goes on when a node is expanded', async () => {
    await about.getByRole('button', { name: 'Lineage' }).click();
    const graph = page.getByRole('group', { name: /^Lineage of flights.daily_delays/ });
    for (const name of ['flights', 'weather', 'planes', 'daily_delays', 'carrier_report']) {
      await expect(graph.getByRole('button', { name: new RegExp(`^${name}, `) }).first()).toBeVisible();
    }
    // Eight thin curves are about one and a half of a thousand pixels; a graph that is not drawn has none.
    await expect(async () => expect(await ink(graph.locator('canvas').first())).toBeGreaterThan(0.0005)).toPass();
    // The README's picture is this one: README_PICTURE=1 makes it anew.
    const light = process.env.README_PICTURE ? '../docs/images/lineage.png' : info.outputPath('lineage-light.png');
    await page.screenshot({ path: light });
    const before = Number(await graph.getAttribute('data-nodes'));
    await graph.getByRole('button', { name: /^Show \d+ more upstream of flights$/ }).click();
    await expect(async () => expect(Number(await graph.getAttribute('data-nodes'))).toBeGreaterThan(before)).toPass();
  });

  await test.step('it is drawn anew in the dark', async () => {
    await run(page, 'apputils:change-theme', { theme: 'JupyterLab Dark' });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', 'false');
    await expect(async () => {
      const canvas = page
        .getByRole('group', { name: /^Lineage of flights.daily_delays/ })
        .locator('canvas')
        .first();
      expect(await ink(canvas)).toBeGreaterThan(0.0005);
    }).toPass();
    await page.screenshot({ path: info.outputPath('lineage-dark.png') });
  });
});
