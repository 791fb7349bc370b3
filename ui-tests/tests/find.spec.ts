import type { Page } from '@playwright/test';
import { expect, findViolations, openLab, runCommand, test, writeApi } from './lab';

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,market.${name},PROD)`;
}

interface ITable {
  owner?: string;
  tags?: string[];
  fields?: string[];
}

/** Writes tables with metadata and columns. */
async function writeTables(page: Page, tables: Record<string, ITable>): Promise<void> {
  for (const [name, { owner, tags = [], fields = ['id'] }] of Object.entries(tables)) {
    const path = `entities/${encodeURIComponent(tableUrn(name))}/aspects`;
    await writeApi(page, 'PUT', `${path}/schemaMetadata`, {
      fields: fields.map(fieldPath => ({ fieldPath, nativeDataType: 'double' }))
    });
    const properties = owner === undefined ? {} : { owner };
    await writeApi(page, 'PUT', `${path}/businessMetadata`, { properties, tags });
  }
}

const TABLES: Record<string, ITable> = {
  carriers: { fields: ['mean_delay'], tags: ['faa', 'reviewed'] },
  daily_delays: { owner: 'operations', tags: ['faa', 'kpi'], fields: ['day', 'minutes'] },
  worst_days: { owner: 'operations', fields: ['delay_total'] }
};

for (const theme of ['Light', 'Dark']) {
  test(`data is found, filtered and previewed (${theme.toLowerCase()})`, async ({ page }, info) => {
    await writeTables(page, TABLES);
    await openLab(page);
    await runCommand(page, 'apputils:change-theme', { theme: `JupyterLab ${theme}` });
    await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Metadata', exact: true });
    const box = panel.getByRole('combobox', { name: 'Search metadata' });
    const hits = panel.getByRole('region', { name: 'Entities' }).getByRole('listitem');
    const tabs = page.locator('#jp-main-dock-panel .lm-TabBar-tab');

    await test.step('words of names come first, and filters become chips', async () => {
      await box.fill('delay');
      await expect(hits).toHaveCount(3);
      await expect(hits.first()).toContainText('daily_delays');
      await panel.getByRole('button', { name: 'Tag', exact: true }).click();
      await page.screenshot({ path: info.outputPath('filter.png') });
      expect(await findViolations(page, '.jp-Colophon-search')).toEqual([]);
      await panel.getByRole('dialog', { name: 'Filter by Tag' }).getByRole('button', { name: /^faa/ }).click();
      await expect(panel.getByRole('status')).toHaveText('2 entities');
      await expect(panel.getByRole('list', { name: 'Conditions' })).toHaveText('Tag: faa');
      await panel.getByLabel('Sort by').selectOption('name');
      await expect(hits.first()).toContainText('carriers');
      await page.screenshot({ path: info.outputPath('hits.png') });
      expect(await findViolations(page, '.jp-Colophon-search')).toEqual([]);
      await panel.getByLabel('Sort by').selectOption('relevance');
      await panel.getByRole('button', { name: /^Remove the condition Tag/ }).click();
      await expect(hits).toHaveCount(3);
    });

    await test.step('single clicks reuse a tab, Enter keeps it', async () => {
      await hits.filter({ hasText: 'carriers' }).first().getByRole('button').click();
      await expect(tabs.filter({ hasText: 'carriers' })).toHaveAttribute('data-colophon-preview', 'true');
      await hits.filter({ hasText: 'worst_days' }).first().getByRole('button').click();
      await expect(tabs.filter({ hasText: 'worst_days' })).toHaveCount(1);
      await expect(tabs.filter({ hasText: 'carriers' })).toHaveCount(0);
      await box.focus();
      await page.keyboard.press('Escape');
      await box.fill('daily_delays');
      await expect(hits.first()).toContainText('daily_delays');
      await page.keyboard.press('Escape');
      await box.fill('daily_delays ');
      await expect(hits).toHaveCount(1);
      await page.keyboard.press('ArrowDown');
      await expect(hits.getByRole('button')).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(tabs.filter({ hasText: 'daily_delays' })).toHaveCount(1);
      await expect(tabs.filter({ hasText: 'daily_delays' })).not.toHaveAttribute('data-colophon-preview', 'true');
    });

    await test.step('keys and values are completed, and a mistyped name is corrected', async () => {
      await box.fill('');
      await box.pressSequentially('owne');
      const options = panel.getByRole('listbox', { name: 'Completions' }).getByRole('option');
      await expect(options.first()).toContainText('owner:');
      await page.screenshot({ path: info.outputPath('completions.png') });
      expect(await findViolations(page, '.jp-Colophon-search')).toEqual([]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await box.pressSequentially('ope');
      await expect(options.first()).toContainText('owner:operations');
      await page.keyboard.press('Tab');
      await expect(panel.getByRole('list', { name: 'Conditions' })).toHaveText('owner: operations');
      await expect(hits).toHaveCount(2);
      await page.keyboard.press('Escape');
      await expect(box).toHaveValue('');
      await box.fill('daily_dealys');
      await page.screenshot({ path: info.outputPath('nothing.png') });
      await panel.getByRole('button', { name: 'market.daily_delays' }).click();
      await expect(hits.first()).toContainText('daily_delays');
      await page.keyboard.press('Escape');
      await expect(panel.getByRole('region', { name: 'Recent' })).toContainText('daily_delays');
      await page.screenshot({ path: info.outputPath('start.png') });
      expect(await findViolations(page, '.jp-Colophon-search')).toEqual([]);
    });
  });
}
