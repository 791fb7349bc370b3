import type { Page } from '@playwright/test';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  updateSnippet,
  createRecoveryFiles,
  createSnippet,
  openPanel,
  deleteSnippets,
  getRow,
  readSnippet
} from './instances';
import { expect, openLab, openNotebook, readApi, runCommand, test, writeApi } from './lab';

/** Returns the visible editor. */
function getEditor(page: Page): ReturnType<Page['locator']> {
  return page.getByRole('main').locator('.jp-MainAreaWidget:not(.lm-mod-hidden)');
}

test.beforeEach(async ({ page }) => deleteSnippets(page));

test('a snippet is created after fixing its errors', async ({ page }) => {
  await openLab(page);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Create in Code Snippets' }).click();
  const editor = getEditor(page);
  await editor.getByLabel('Name *').fill('Read a table');
  await expect(editor.getByRole('alert')).toHaveCount(0);
  await editor.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(editor.getByRole('alert').first()).toBeVisible();
  await expect(panel.getByRole('row')).toHaveCount(0);
  await editor.getByLabel('Language *').fill('Python');
  await page.keyboard.press('Escape');
  await editor.getByRole('textbox', { name: 'Code' }).click();
  await page.keyboard.type('spark.read.table("flights")');
  await editor.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(getRow(panel, 'Read a table')).toBeVisible();
  await expect(editor.getByRole('alert')).toHaveCount(0);
  expect((await readSnippet(page, 'read_a_table')).metadata).toMatchObject({
    language: 'Python',
    code: ['spark.read.table("flights")']
  });
});

test('an edit conflict is shown and overwritten on request', async ({ page }) => {
  await createSnippet(page, 'Shared', { description: 'as it was' });
  await openLab(page);
  const panel = await openPanel(page);
  await getRow(panel, 'Shared').getByRole('button').first().click();
  const editor = getEditor(page);
  await editor.getByLabel('Description').fill('mine');
  await updateSnippet(page, 'shared', { description: 'theirs' });
  await editor.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('alertdialog');
  await expect(conflict).toContainText('theirs');
  await expect(conflict).toContainText('mine');
  expect((await readSnippet(page, 'shared')).metadata.description).toBe('theirs');
  await conflict.getByRole('button', { name: /^Keep mine/ }).click();
  await expect(conflict).toBeHidden();
  await expect(getRow(panel, 'Shared')).toContainText('mine');
  expect((await readSnippet(page, 'shared')).metadata.description).toBe('mine');
});

test('external edits appear and invalid files can be repaired', async ({ page }) => {
  const { resource } = await createSnippet(page, 'Watched', { description: 'before' });
  const folder = dirname(resource);
  createRecoveryFiles(resource, 'lost', 'watched', 'nothing');
  await openLab(page);
  const panel = await openPanel(page);
  await expect(getRow(panel, 'Watched')).toContainText('before');

  await test.step('recovery files are restored or deleted', async () => {
    const left = panel.locator('summary');
    await left.focus();
    await expect(left).toHaveText('3 recovered copies from interrupted saves');
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('button', { name: /^Restore watched / })).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(panel.getByRole('button', { name: /^Restore lost / })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(getRow(panel, 'lost')).toContainText('as it was');
    await expect(left).toBeFocused();
    await expect(left).toHaveText('2 recovered copies from interrupted saves');
    await panel.getByRole('button', { name: /^Delete the recovered copy of nothing / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
    await panel.getByRole('button', { name: /^Delete the recovered copy of nothing / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete copy' }).click();
    await expect(left).toHaveText('1 recovered copy from an interrupted save');
    await panel.getByRole('button', { name: /^Delete the recovered copy of watched / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete copy' }).click();
    await expect(left).toHaveCount(0);
    await expect(panel.getByLabel('Filter Code Snippets')).toBeFocused();
    expect(readdirSync(folder).filter(file => file.includes('.json1'))).toEqual([]);
  });

  await test.step('a replaced file is shown', async () => {
    const next = JSON.parse(readFileSync(resource, 'utf8')) as { metadata: { description: string } };
    next.metadata.description = 'after';
    writeFileSync(join(folder, '.somebodys-editor'), JSON.stringify(next));
    renameSync(join(folder, '.somebodys-editor'), resource);
    await expect(getRow(panel, 'Watched')).toContainText('after');
  });

  await test.step('invalid and unreadable files are listed with errors', async () => {
    const invalid = { display_name: 'Half', schema_name: 'code-snippet', metadata: { language: 'Python' } };
    writeFileSync(join(folder, 'half.json'), JSON.stringify(invalid));
    writeFileSync(join(folder, 'torn.json'), '{"display_name": "To');
    await expect(getRow(panel, 'Half')).toContainText(/Invalid: .code. is a required property/);
    await expect(getRow(panel, 'torn')).toContainText('Invalid');
    await panel.getByLabel('Validity in Code Snippets').selectOption({ label: 'Invalid' });
    await expect(panel.getByRole('row')).toHaveCount(2);
    await panel.getByLabel('Validity in Code Snippets').selectOption({ label: 'All' });
  });

  await test.step('an invalid instance is repaired in the editor', async () => {
    await getRow(panel, 'Half').getByRole('button').first().click();
    const editor = getEditor(page);
    await editor.getByRole('textbox', { name: 'Code' }).click();
    await page.keyboard.type('whole = True');
    await editor.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(getRow(panel, 'Half')).not.toContainText('Invalid');
    expect((await readSnippet(page, 'half')).valid).toBe(true);
  });

  await test.step('an unreadable instance is deleted after confirmation', async () => {
    await getRow(panel, 'torn').getByRole('button').first().focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(getRow(panel, 'torn')).toHaveCount(0);
  });

  await test.step('a deleted file removes its row', async () => {
    rmSync(resource);
    await expect(getRow(panel, 'Watched')).toHaveCount(0);
  });
});

test('a snippet is inserted at the cursor, another language after confirmation', async ({ page }) => {
  await createSnippet(page, 'Forty-two');
  await createSnippet(page, 'Query', { language: 'SQL', code: ['SELECT 1'] });
  await openNotebook(page, 'flights.ipynb');
  const cell = page.locator('.jp-Cell.jp-mod-active');
  // While a notebook is being rendered, it activates its first cell again.
  await expect(async () => {
    await runCommand(page, 'notebook:insert-cell-below');
    await page.waitForTimeout(1000);
    await expect(cell.locator('.cm-content')).toHaveText('', { timeout: 1000 });
  }).toPass();
  const panel = await openPanel(page);
  await getRow(panel, 'Forty-two').getByRole('button', { name: 'Insert Forty-two' }).click();
  await expect(cell.locator('.cm-content')).toHaveText('answer = 42');
  await expect(cell.locator('.cm-content')).toBeFocused();
  await getRow(panel, 'Query').getByRole('button', { name: 'Insert Query' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(cell.locator('.cm-content')).toHaveText('answer = 42');
  await getRow(panel, 'Query').getByRole('button', { name: 'Insert Query' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();
  await expect(cell.locator('.cm-content')).toHaveText('answer = 42SELECT 1');
  await test.step('a snippet is dragged into an editor', async () => {
    await runCommand(page, 'notebook:insert-cell-below');
    const next = page.locator('.jp-Cell.jp-mod-active .cm-content');
    await getRow(panel, 'Forty-two').dragTo(next);
    await expect(next).toHaveText('answer = 42');
  });
});

test('snippets are edited, deleted and restored by keyboard', async ({ page }) => {
  await createSnippet(page, 'Alpha');
  await createSnippet(page, 'Beta', { description: 'the second' });
  await createSnippet(page, 'Gamma', { tags: ['greek'] });
  await openLab(page);
  const panel = page.getByRole('region', { name: 'Schemaspaces', exact: true });
  const first = panel.getByRole('row').first().getByRole('button').first();
  // The launcher takes the focus when it appears, which may be shortly after the layout is restored.
  await expect(async () => {
    await runCommand(page, 'colophon:show-schemaspaces');
    await expect(panel.getByRole('row')).toHaveCount(3);
    await expect(panel.getByRole('button', { name: 'Code Snippets', exact: true })).toBeFocused({ timeout: 5000 });
    // Create, filter, order, validity, one tag, three tools, then the list.
    for (let stop = 0; stop < 9; stop++) {
      await page.keyboard.press('Tab');
    }
    await expect(first).toBeFocused({ timeout: 5000 });
    await page.keyboard.press('ArrowDown');
    await expect(getRow(panel, 'Beta').getByRole('button').first()).toBeFocused({ timeout: 5000 });
  }).toPass();

  await test.step('Enter opens it and a shortcut saves', async () => {
    await page.keyboard.press('Enter');
    const editor = getEditor(page);
    await expect(editor.getByLabel('Description')).toHaveValue('the second');
    await editor.getByLabel('Description').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('changed by hand');
    await page.keyboard.press('Control+S');
    await expect(getRow(panel, 'Beta')).toContainText('changed by hand');
  });

  await test.step('Delete removes it, Undo restores it', async () => {
    await runCommand(page, 'colophon:show-schemaspaces');
    await getRow(panel, 'Beta').getByRole('button').first().focus();
    await page.keyboard.press('Delete');
    await expect(getRow(panel, 'Beta')).toHaveCount(0);
    await expect(getRow(panel, 'Gamma').getByRole('button').first()).toBeFocused();
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    await undo.focus();
    await page.keyboard.press('Enter');
    await expect(getRow(panel, 'Beta')).toContainText('changed by hand');
  });

  await test.step('a button opens the menu of a row', async () => {
    await getRow(panel, 'Alpha').getByRole('button').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Duplicate Instance' })).toBeVisible();
    await page.keyboard.press('Escape');
  });
});

test('instances are copied, filtered, exported and imported', async ({ page }) => {
  await createSnippet(page, 'Alpha', { tags: ['greek', 'first'] });
  await createSnippet(page, 'Beta', { tags: ['greek'] });
  await openLab(page);
  const panel = await openPanel(page);
  await getRow(panel, 'Alpha').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Duplicate Instance' }).click();
  await expect(getRow(panel, 'Alpha (copy)')).toBeVisible();
  await panel.getByRole('button', { name: /^first/ }).click();
  await expect(panel.getByRole('row')).toHaveCount(2);
  await expect(panel.getByRole('status').first()).toHaveText('2 instances found');
  await panel.getByRole('button', { name: /^greek/ }).click();
  await expect(panel.getByRole('row')).toHaveCount(3);
  await panel.getByLabel('Filter Code Snippets').fill('bet');
  await expect(panel.getByRole('row')).toHaveCount(1);
  await panel.getByLabel('Filter Code Snippets').fill('');

  const downloading = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Export Code Snippets' }).click();
  const file = await (await downloading).path();
  const bundle = JSON.parse(readFileSync(file, 'utf8')) as { instances: { name: string; display_name: string }[] };
  expect(bundle.instances.map(item => item.name).sort()).toEqual(['alpha', 'alpha_copy', 'beta']);

  const changed = bundle.instances.map(item => (item.name === 'beta' ? { ...item, display_name: 'Beta II' } : item));
  const extra = {
    name: 'delta',
    display_name: 'Delta',
    schema_name: 'code-snippet',
    metadata: { language: 'R', code: [] }
  };
  const wrong = { name: 'wrong', display_name: 'Wrong', schema_name: 'code-snippet', metadata: {} };
  const choosing = page.waitForEvent('filechooser');
  await panel.getByRole('button', { name: 'Import into Code Snippets' }).click();
  await (
    await choosing
  ).setFiles({
    name: 'mine.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ instances: [...changed, extra, wrong] }))
  });
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('1 new');
  await expect(dialog.getByRole('row', { name: /^wrong/ })).toContainText('skipped: invalid');
  expect((await readApi<{ total: number }>(page, 'schemaspaces/code-snippets/instances')).total).toBe(3);
  await dialog.getByLabel('Replace existing instances').check();
  await dialog.getByRole('button', { name: 'Import' }).click();
  await expect(getRow(panel, 'Beta II')).toBeVisible();
  // Instances are imported and shown one by one.
  const total = async () => (await readApi<{ total: number }>(page, 'schemaspaces/code-snippets/instances')).total;
  await expect.poll(total).toBe(4);
});

test('an instance found by search opens its editor', async ({ page }) => {
  await createSnippet(page, 'Needle', { description: 'in the haystack' });
  await openLab(page);
  await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
  await page.getByLabel('Search metadata').fill('haystack');
  const result = page.getByRole('region', { name: 'Entities' }).getByRole('button', { name: /Needle/ });
  await result.click();
  await page.getByRole('button', { name: 'Edit: Instance' }).click();
  // The page of the entity, which is shown before, has a label of this name too.
  await expect(getEditor(page).getByRole('textbox', { name: 'Description' })).toHaveValue('in the haystack');
});

test('hundreds of snippets render visible rows only', async ({ page }) => {
  const instances = Array.from({ length: 300 }, (_, index) => ({
    name: `s${String(index).padStart(4, '0')}`,
    display_name: `Snippet ${String(index).padStart(4, '0')}`,
    schema_name: 'code-snippet',
    metadata: { language: 'Python', code: [`x = ${index}`] }
  }));
  await writeApi(page, 'POST', 'schemaspaces/code-snippets/import', { instances });
  await openLab(page);
  const panel = await openPanel(page);
  await expect(panel.getByRole('grid')).toHaveAttribute('aria-rowcount', '300');
  expect(await panel.getByRole('row').count()).toBeLessThan(40);
  await panel.getByRole('row').first().getByRole('button').first().focus();
  await page.keyboard.press('End');
  await expect(getRow(panel, 'Snippet 0299').getByRole('button').first()).toBeFocused();
  expect(await panel.getByRole('row').count()).toBeLessThan(40);
});
