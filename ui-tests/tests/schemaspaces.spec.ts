import { expect, test, type Page } from '@playwright/test';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { changeSnippet, makeSnippet, openPanel, removeSnippets, rowOf, snippet } from './instances';
import { ask, barriers, kernelReady, openLab, run } from './lab';

/** The editor that is in view. */
function editorOf(page: Page): ReturnType<Page['locator']> {
  return page.getByRole('main').locator('.jp-MainAreaWidget:not(.lm-mod-hidden)');
}

/** What killed saves of these snippets would have left beside another one; that of `nothing` is empty. */
function leaveBehind(beside: string, ...names: string[]): string[] {
  return names.map(name => {
    const file = join(dirname(beside), `${name}.json1700000000.25`);
    const document = {
      display_name: name,
      schema_name: 'code-snippet',
      metadata: { language: 'Python', code: ['x = 1'], description: 'as it was' }
    };
    writeFileSync(file, name === 'nothing' ? '' : JSON.stringify(document));
    return file;
  });
}

test.beforeEach(async ({ page }) => removeSnippets(page));

test('somebody creates a snippet, is told what is missing, mends it and saves', async ({ page }) => {
  await openLab(page);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Create in Code Snippets' }).click();
  const editor = editorOf(page);
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
  await expect(rowOf(panel, 'Read a table')).toBeVisible();
  await expect(editor.getByRole('alert')).toHaveCount(0);
  expect((await snippet(page, 'read_a_table')).metadata).toMatchObject({
    language: 'Python',
    code: ['spark.read.table("flights")']
  });
});

test('what somebody else saved meanwhile is shown, and overwritten only when that is wanted', async ({ page }) => {
  await makeSnippet(page, 'Shared', { description: 'as it was' });
  await openLab(page);
  const panel = await openPanel(page);
  await rowOf(panel, 'Shared').getByRole('button').first().click();
  const editor = editorOf(page);
  await editor.getByLabel('Description').fill('mine');
  await changeSnippet(page, 'shared', { description: 'theirs' });
  await editor.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('alertdialog');
  await expect(conflict).toContainText('theirs');
  await expect(conflict).toContainText('mine');
  expect((await snippet(page, 'shared')).metadata.description).toBe('theirs');
  await conflict.getByRole('button', { name: 'Save mine over theirs' }).click();
  await expect(conflict).toBeHidden();
  await expect(rowOf(panel, 'Shared')).toContainText('mine');
  expect((await snippet(page, 'shared')).metadata.description).toBe('mine');
});

test('what happens to the files outside appears, and broken files are told and repaired', async ({ page }) => {
  const { resource } = await makeSnippet(page, 'Watched', { description: 'before' });
  const folder = dirname(resource);
  leaveBehind(resource, 'lost', 'watched', 'nothing');
  await openLab(page);
  const panel = await openPanel(page);
  await expect(rowOf(panel, 'Watched')).toContainText('before');

  await test.step('what killed saves left behind is brought back, or thrown away after a question', async () => {
    const left = panel.locator('summary');
    await left.focus();
    await expect(left).toHaveText('Saves were cut short and left 3 copies');
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('button', { name: /^Bring back watched / })).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(panel.getByRole('button', { name: /^Bring back lost / })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(rowOf(panel, 'lost')).toContainText('as it was');
    await expect(left).toBeFocused();
    await expect(left).toHaveText('Saves were cut short and left 2 copies');
    await panel.getByRole('button', { name: /^Throw away nothing / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    await panel.getByRole('button', { name: /^Throw away nothing / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Throw away' }).click();
    await expect(left).toHaveText('A save was cut short and left 1 copy');
    await panel.getByRole('button', { name: /^Throw away watched / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Throw away' }).click();
    await expect(left).toHaveCount(0);
    await expect(panel.getByLabel('Filter Code Snippets')).toBeFocused();
    expect(readdirSync(folder).filter(file => file.includes('.json1'))).toEqual([]);
  });

  await test.step('a file that is replaced shows as it is now', async () => {
    const next = JSON.parse(readFileSync(resource, 'utf8')) as { metadata: { description: string } };
    next.metadata.description = 'after';
    writeFileSync(join(folder, '.somebodys-editor'), JSON.stringify(next));
    renameSync(join(folder, '.somebodys-editor'), resource);
    await expect(rowOf(panel, 'Watched')).toContainText('after');
  });

  await test.step('files that are not valid, or no JSON at all, are there with why', async () => {
    const invalid = { display_name: 'Half', schema_name: 'code-snippet', metadata: { language: 'Python' } };
    writeFileSync(join(folder, 'half.json'), JSON.stringify(invalid));
    writeFileSync(join(folder, 'torn.json'), '{"display_name": "To');
    await expect(rowOf(panel, 'Half')).toContainText(/Not valid: .code. is a required property/);
    await expect(rowOf(panel, 'torn')).toContainText('Not valid');
    await panel.getByLabel('Validity in Code Snippets').selectOption({ label: 'Not valid' });
    await expect(panel.getByRole('row')).toHaveCount(2);
    await panel.getByLabel('Validity in Code Snippets').selectOption({ label: 'All' });
  });

  await test.step('the invalid one is repaired in the editor', async () => {
    await rowOf(panel, 'Half').getByRole('button').first().click();
    const editor = editorOf(page);
    await editor.getByRole('textbox', { name: 'Code' }).click();
    await page.keyboard.type('whole = True');
    await editor.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(rowOf(panel, 'Half')).not.toContainText('Not valid');
    expect((await snippet(page, 'half')).valid).toBe(true);
  });

  await test.step('the torn one is deleted after a question', async () => {
    await rowOf(panel, 'torn').getByRole('button').first().focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(rowOf(panel, 'torn')).toHaveCount(0);
  });

  await test.step('a file that goes takes its row along', async () => {
    rmSync(resource);
    await expect(rowOf(panel, 'Watched')).toHaveCount(0);
  });
});

test('a snippet lands at the cursor of a cell; one of another language only if that is wanted', async ({ page }) => {
  await makeSnippet(page, 'Forty-two');
  await makeSnippet(page, 'Query', { language: 'SQL', code: ['SELECT 1'] });
  await openLab(page, 'lab/tree/flights.ipynb');
  await kernelReady(page);
  const cell = page.locator('.jp-Cell.jp-mod-active');
  // A notebook that is still being laid out makes its first cell the active one again.
  await expect(async () => {
    await run(page, 'notebook:insert-cell-below');
    await page.waitForTimeout(1000);
    await expect(cell.locator('.cm-content')).toHaveText('', { timeout: 1000 });
  }).toPass();
  const panel = await openPanel(page);
  await rowOf(panel, 'Forty-two').getByRole('button', { name: 'Insert Forty-two' }).click();
  await expect(cell.locator('.cm-content')).toHaveText('answer = 42');
  await expect(cell.locator('.cm-content')).toBeFocused();
  await rowOf(panel, 'Query').getByRole('button', { name: 'Insert Query' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(cell.locator('.cm-content')).toHaveText('answer = 42');
  await rowOf(panel, 'Query').getByRole('button', { name: 'Insert Query' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();
  await expect(cell.locator('.cm-content')).toHaveText('answer = 42SELECT 1');
  await test.step('dragged into an editor, it is dropped there', async () => {
    await run(page, 'notebook:insert-cell-below');
    const next = page.locator('.jp-Cell.jp-mod-active .cm-content');
    await rowOf(panel, 'Forty-two').dragTo(next);
    await expect(next).toHaveText('answer = 42');
  });
});

test('with the keyboard alone a snippet is found, changed, deleted and brought back', async ({ page }) => {
  await makeSnippet(page, 'Alpha');
  await makeSnippet(page, 'Beta', { description: 'the second' });
  await makeSnippet(page, 'Gamma', { tags: ['greek'] });
  await openLab(page);
  const panel = page.getByRole('region', { name: 'Schemaspaces', exact: true });
  const first = panel.getByRole('row').first().getByRole('button').first();
  // The launcher takes the keyboard when it is there, which may be a moment after the layout.
  await expect(async () => {
    await run(page, 'colophon:show-schemaspaces');
    await expect(panel.getByRole('row')).toHaveCount(3);
    await expect(panel.getByRole('button', { name: 'Code Snippets', exact: true })).toBeFocused({ timeout: 1000 });
    // Create, filter, order, validity, one tag, three tools, then the list.
    for (let stop = 0; stop < 9; stop++) {
      await page.keyboard.press('Tab');
    }
    await expect(first).toBeFocused({ timeout: 1000 });
    await page.keyboard.press('ArrowDown');
    await expect(rowOf(panel, 'Beta').getByRole('button').first()).toBeFocused({ timeout: 1000 });
  }).toPass();

  await test.step('Enter opens it, and what is typed is saved by a shortcut', async () => {
    await page.keyboard.press('Enter');
    const editor = editorOf(page);
    await expect(editor.getByLabel('Description')).toHaveValue('the second');
    await editor.getByLabel('Description').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('changed by hand');
    await page.keyboard.press('Control+S');
    await expect(rowOf(panel, 'Beta')).toContainText('changed by hand');
  });

  await test.step('Delete removes it, the keyboard stays, and Undo brings it back', async () => {
    await run(page, 'colophon:show-schemaspaces');
    await rowOf(panel, 'Beta').getByRole('button').first().focus();
    await page.keyboard.press('Delete');
    await expect(rowOf(panel, 'Beta')).toHaveCount(0);
    await expect(rowOf(panel, 'Gamma').getByRole('button').first()).toBeFocused();
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    await undo.focus();
    await page.keyboard.press('Enter');
    await expect(rowOf(panel, 'Beta')).toContainText('changed by hand');
  });

  await test.step('the menu of a row opens by its button', async () => {
    await rowOf(panel, 'Alpha').getByRole('button').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Duplicate Instance' })).toBeVisible();
    await page.keyboard.press('Escape');
  });
});

test('a copy is made, tags narrow the list, and what was exported is imported after a look', async ({ page }) => {
  await makeSnippet(page, 'Alpha', { tags: ['greek', 'first'] });
  await makeSnippet(page, 'Beta', { tags: ['greek'] });
  await openLab(page);
  const panel = await openPanel(page);
  await rowOf(panel, 'Alpha').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Duplicate Instance' }).click();
  await expect(rowOf(panel, 'Alpha (copy)')).toBeVisible();
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
  expect(bundle.instances.map(one => one.name).sort()).toEqual(['alpha', 'alpha_copy', 'beta']);

  const changed = bundle.instances.map(one => (one.name === 'beta' ? { ...one, display_name: 'Beta II' } : one));
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
  await expect(dialog.getByRole('row', { name: /^wrong/ })).toContainText('left out: not valid');
  expect((await ask<{ total: number }>(page, 'schemaspaces/code-snippets/instances')).total).toBe(3);
  await dialog.getByLabel('Replace those that are there').check();
  await dialog.getByRole('button', { name: 'Import' }).click();
  await expect(rowOf(panel, 'Beta II')).toBeVisible();
  // One is taken in after the other, and shown as soon as it is.
  const total = async () => (await ask<{ total: number }>(page, 'schemaspaces/code-snippets/instances')).total;
  await expect.poll(total).toBe(4);
});

test('an instance that was found by search is edited in its own editor', async ({ page }) => {
  await makeSnippet(page, 'Needle', { description: 'in the haystack' });
  await openLab(page);
  await page.getByRole('tab', { name: 'Metadata', exact: true }).click();
  await page.getByLabel('Search metadata').fill('haystack');
  const found = page.getByRole('region', { name: 'Entities' }).getByRole('button', { name: /needle/ });
  await found.click();
  await page.getByRole('button', { name: 'Edit: Instance' }).click();
  await expect(editorOf(page).getByLabel('Description')).toHaveValue('in the haystack');
});

test('of a thousand snippets only those in view are in the page, and the last can be reached', async ({ page }) => {
  const instances = Array.from({ length: 1000 }, (_, index) => ({
    name: `s${String(index).padStart(4, '0')}`,
    display_name: `Snippet ${String(index).padStart(4, '0')}`,
    schema_name: 'code-snippet',
    metadata: { language: 'Python', code: [`x = ${index}`] }
  }));
  const headers = { Authorization: `token ${process.env.LAB_TEST_TOKEN ?? ''}` };
  const data = { instances };
  const answer = await page.request.post('/colophon/api/schemaspaces/code-snippets/import', { data, headers });
  expect(answer.ok(), await answer.text()).toBe(true);
  await openLab(page);
  const panel = await openPanel(page);
  await expect(panel.getByRole('grid')).toHaveAttribute('aria-rowcount', '1000');
  expect(await panel.getByRole('row').count()).toBeLessThan(40);
  await panel.getByRole('row').first().getByRole('button').first().focus();
  await page.keyboard.press('End');
  await expect(rowOf(panel, 'Snippet 0999').getByRole('button').first()).toBeFocused();
  expect(await panel.getByRole('row').count()).toBeLessThan(40);
});

test('axe finds nothing serious in panel and editor, light and dark', async ({ page }, info) => {
  await makeSnippet(page, 'Alpha', { tags: ['greek'], description: 'the first' });
  const { resource } = await makeSnippet(page, 'Beta');
  writeFileSync(
    join(dirname(resource), 'half.json'),
    '{"display_name": "Half", "schema_name": "code-snippet", "metadata": {}}'
  );
  const left = leaveBehind(resource, 'lost', 'nothing');
  await openLab(page);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Runtimes', exact: true }).click();
  await expect(rowOf(panel, 'Half')).toBeVisible();
  await panel.locator('summary').click();
  expect(await barriers(page, '#jp-colophon-schemaspaces')).toEqual([]);
  await rowOf(panel, 'Alpha').getByRole('button').first().click();
  await expect(editorOf(page).getByRole('textbox', { name: 'Code' })).toBeVisible();
  await panel.getByRole('button', { name: /^greek/ }).click();
  await expect(panel.getByRole('row')).toHaveCount(1);
  for (const theme of ['Light', 'Dark']) {
    await run(page, 'apputils:change-theme', { theme: `JupyterLab ${theme}` });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', String(theme === 'Light'));
    expect(await barriers(page, '#jp-colophon-schemaspaces')).toEqual([]);
    expect(await barriers(page, '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon')).toEqual([]);
    await page.screenshot({ path: info.outputPath(`schemaspaces-${theme.toLowerCase()}.png`) });
  }
  left.forEach(file => rmSync(file));
});
