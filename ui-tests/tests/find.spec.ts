import type { Page } from '@playwright/test';
import { expect, findViolations, openLab, readApi, runCommand, test, writeApi } from './lab';

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

async function readOwner(page: Page, name: string): Promise<string | undefined> {
  const path = `entities/${encodeURIComponent(tableUrn(name))}/aspects/businessMetadata`;
  const { value } = await readApi<{ value: { properties: { owner?: string } } }>(page, path);
  return value.properties.owner;
}

const TABLES: Record<string, ITable> = {
  carriers: { fields: ['mean_delay'], tags: ['faa', 'reviewed'] },
  daily_delays: { owner: 'operations', tags: ['faa', 'kpi'], fields: ['day', 'minutes'] },
  worst_days: { owner: 'operations', fields: ['delay_total'] }
};

const CELL = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.etl/clean.ipynb#a1b2)';

test('data is found, filtered and previewed', async ({ page }, info) => {
  await writeTables(page, TABLES);
  await openLab(page);
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

  await test.step('a cell is found and shown by its title, and a description without its markup', async () => {
    const description = 'Drops **cancelled** rows, see the [rules](https://rules.test)';
    const info = { name: 'Remove cancelled flights', type: { string: 'COMMAND' }, description };
    await writeApi(page, 'PUT', `entities/${encodeURIComponent(CELL)}/aspects/dataJobInfo`, info);
    await box.fill('cancelled');
    await expect(hits.first()).toContainText('Remove cancelled flights');
    await expect(hits.first()).toContainText('clean.ipynb · etl');
    await expect(hits.first()).toContainText('Drops cancelled rows, see the rules');
    await page.screenshot({ path: test.info().outputPath('title.png') });
    await hits
      .first()
      .getByRole('button', { name: /Remove cancelled/ })
      .click();
    await expect(tabs.filter({ hasText: 'Remove cancelled flights' })).toHaveCount(1);
    await expect(page.getByRole('heading', { level: 1, name: 'Remove cancelled flights' })).toBeVisible();
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

  await test.step('selected hits are edited with a preview, and the change is undone', async () => {
    await box.fill('market');
    await hits.filter({ hasText: 'daily_delays' }).getByRole('checkbox').check();
    await hits
      .filter({ hasText: 'worst_days' })
      .getByRole('button')
      .click({ modifiers: ['Control'] });
    await page.screenshot({ path: info.outputPath('selection.png') });
    expect(await findViolations(page, '.jp-Colophon-search')).toEqual([]);
    await panel.getByRole('button', { name: 'Edit…' }).click();
    const edit = page.getByRole('region', { name: 'Edit 2 entities' });
    await edit.getByLabel('Add tags').fill('kpi');
    await edit.getByLabel('Add tags').press('Enter');
    await edit.getByLabel('Set the owner').fill('analytics');
    await expect(edit.getByRole('status')).toHaveText('2 entities change.');
    await expect(edit.getByRole('row', { name: /worst_days/ })).toContainText('operations');
    await page.screenshot({ path: info.outputPath('bulk-edit.png') });
    expect(await findViolations(page, '.jp-Colophon-bulkEdit')).toEqual([]);
    await edit.getByRole('button', { name: 'Change 2 entities' }).click();
    await expect(edit.getByRole('group', { name: 'Last change' })).toContainText('2 entities changed.');
    await expect.poll(() => readOwner(page, 'worst_days')).toBe('analytics');
    await edit.getByRole('group', { name: 'Last change' }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readOwner(page, 'worst_days')).toBe('operations');
  });

  await test.step('keys are listed with counts, and a tag is dragged onto a hit', async () => {
    await runCommand(page, 'colophon:show-vocabulary', { tab: 'keys' });
    const vocabulary = page.getByRole('region', { name: 'Vocabulary' });
    await vocabulary.getByRole('button', { name: /^\d+ values? of owner$/ }).click();
    await expect(vocabulary.getByRole('list', { name: 'Values of owner' })).toContainText('operations');
    await page.screenshot({ path: info.outputPath('keys.png') });
    expect(await findViolations(page, '.jp-Colophon-vocabulary')).toEqual([]);
    const tag = 'dragged';
    await writeTables(page, { worst_days: { owner: 'operations', tags: [tag] } });
    await vocabulary.getByRole('button', { name: tag, exact: true }).dragTo(hits.filter({ hasText: 'carriers' }));
    await expect(hits.filter({ hasText: 'carriers' })).toContainText(tag);
    await vocabulary.getByRole('button', { name: tag, exact: true }).click();
    await expect(box).toHaveValue(`tags:${tag}`);
    await expect(hits).toHaveCount(2);
  });

  await test.step('a glossary term is created and chosen on the page of a table', async () => {
    const term = 'Punctuality';
    await runCommand(page, 'colophon:show-vocabulary', { tab: 'term' });
    const vocabulary = page.getByRole('region', { name: 'Vocabulary' });
    await vocabulary.getByRole('button', { name: 'New glossary term' }).click();
    await vocabulary.getByLabel('Name', { exact: true }).fill(term);
    await vocabulary.getByRole('textbox', { name: 'Description' }).fill('Minutes against the timetable');
    await page.screenshot({ path: info.outputPath('new-term.png') });
    await vocabulary.getByRole('button', { name: 'Create' }).click();
    await expect(vocabulary.getByRole('row', { name: new RegExp(term) })).toContainText(
      'Minutes against the timetable'
    );
    expect(await findViolations(page, '.jp-Colophon-vocabulary')).toEqual([]);
    await runCommand(page, 'colophon:open-entity', { urn: tableUrn('worst_days') });
    const table = page.getByRole('region', { name: 'Metadata of market.worst_days' });
    await table.getByRole('button', { name: 'Add a glossary term' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('option', { name: term }).click();
    await expect(table.getByRole('region', { name: 'About' })).toContainText(term);
    await page.screenshot({ path: info.outputPath('term.png') });
    expect(await findViolations(page, '.jp-Colophon-entity')).toEqual([]);
  });

  await test.step('a deletion shows what depends on the table, and is undone', async () => {
    const table = page.getByRole('region', { name: 'Metadata of market.worst_days' });
    await table.getByRole('button', { name: 'More actions' }).click();
    await table.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Nothing in the catalog depends on it.');
    await page.screenshot({ path: info.outputPath('delete.png') });
    expect(await findViolations(page, '.jp-Dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await table.getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(table.getByRole('button', { name: 'Restore', exact: true })).toHaveCount(0);
  });
});
