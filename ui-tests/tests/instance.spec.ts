import type { Locator, Page } from '@playwright/test';
import { updateSnippet, createSnippet, deleteSnippets, readSnippet } from './instances';
import { expect, openLab, readApi, readLayout, runCommand, test, waitForLab, writeApi } from './lab';

/** Returns the visible page of an instance. */
function getInstancePage(page: Page): Locator {
  return page.locator('.jp-Colophon-instance:visible');
}

async function editSnippet(page: Page, name: string): Promise<Locator> {
  await runCommand(page, 'colophon:edit-instance', { space: 'code-snippets', schema: 'code-snippet', name });
  const about = getInstancePage(page);
  await expect(about.getByRole('textbox', { name: 'Code' })).toBeVisible();
  return about;
}

async function expectSaved(about: Locator): Promise<void> {
  await expect(about.getByText('All changes saved.')).toBeVisible();
}

/** Deletes all runtimes, which other tests would see. */
async function deleteRuntimes(page: Page): Promise<void> {
  const { instances } = await readApi<{ instances: { name: string }[] }>(page, 'schemaspaces/runtimes/instances');
  for (const { name } of instances) {
    await writeApi(page, 'DELETE', `schemaspaces/runtimes/instances/${name}`);
  }
}

test.beforeEach(async ({ page }) => deleteSnippets(page));
test.afterEach(async ({ page }) => deleteRuntimes(page));

test('a secret is stored, hidden and kept by the next save', async ({ page }, info) => {
  await openLab(page);
  await runCommand(page, 'colophon:edit-instance', { space: 'runtimes', schema: 'kfp' });
  const about = getInstancePage(page);
  await about.getByLabel('Name *', { exact: true }).fill('Kubeflow');
  await about.getByLabel('Kubeflow Pipelines API Endpoint *').fill('https://kubeflow.example.org/pipeline');
  await about.getByLabel('Cloud Object Storage Endpoint *').fill('https://store.example.org');
  await about.getByLabel('Cloud Object Storage Bucket Name *').fill('bucket');
  const password = about.getByLabel('Cloud Object Storage Password', { exact: true });
  await password.fill('short');
  await password.blur();
  await expect(about.getByRole('alert')).toHaveText('At least 8 characters.');
  await password.fill('CANARY-secret');
  await expect(about.getByRole('alert')).toHaveCount(0);
  await expect(password).toHaveAttribute('type', 'password');
  await about.getByRole('button', { name: 'Show Cloud Object Storage Password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.screenshot({ path: info.outputPath('runtime.png') });
  // Drafts are stored shortly after the last key press.
  await expect(async () => {
    const stored = await page.evaluate(() => JSON.stringify({ ...window.localStorage }));
    expect(stored).toContain('store.example.org');
    expect(stored).not.toContain('CANARY');
  }).toPass();
  await about.getByRole('button', { name: 'Save', exact: true }).click();
  await expectSaved(about);
  await expect(password).toHaveValue('');
  await expect(about).toContainText('A secret is stored');
  const { instances } = await readApi<{ instances: { name: string }[] }>(page, 'schemaspaces/runtimes/instances');
  const [name] = instances.map(item => item.name);
  type Runtime = { metadata: { cos_password: unknown; cos_bucket: string }; version: number };
  await about.getByLabel('Cloud Object Storage Bucket Name *').fill('another');
  await page.keyboard.press('Control+S');
  await expectSaved(about);
  const kept = await readApi<Runtime>(page, `schemaspaces/runtimes/instances/${name}`);
  expect(kept.metadata).toMatchObject({ cos_password: { $secret: true }, cos_bucket: 'another' });
  await expect(about.getByRole('region', { name: 'History' })).toContainText('another');
  await expect(page.locator('body')).not.toContainText('CANARY');
});

test('unsaved changes survive a reload and block closing', async ({ page }) => {
  await createSnippet(page, 'Draft', { description: 'as it was' });
  await openLab(page);
  let about = await editSnippet(page, 'draft');
  await about.getByLabel('Description').fill('half of a thought');
  await expect(async () => expect(await readLayout(page)).toMatch(/colophon-instance:.*draft/)).toPass();
  page.on('dialog', dialog => void dialog.accept());
  await page.reload();
  await waitForLab(page);
  about = getInstancePage(page);
  await expect(about.getByLabel('Description')).toHaveValue('half of a thought');
  await expect(about).toContainText('were restored; enter secrets again');
  expect((await readSnippet(page, 'draft')).metadata.description).toBe('as it was');
  await runCommand(page, 'application:close');
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(about.getByLabel('Description')).toHaveValue('half of a thought');
  await about.getByRole('button', { name: 'Discard them' }).click();
  await expect(about.getByLabel('Description')).toHaveValue('as it was');
  await runCommand(page, 'application:close');
  await expect(about).toHaveCount(0);
});

test('an unchanged form follows changes and restores versions', async ({ page }, info) => {
  await createSnippet(page, 'Living', { description: 'first' });
  await openLab(page);
  const about = await editSnippet(page, 'living');
  await updateSnippet(page, 'living', { description: 'second', code: ['import sys', 'print(sys.path)'] });
  await expect(about.getByLabel('Description')).toHaveValue('second');
  await expect(about.getByRole('textbox', { name: 'Code' })).toContainText('print(sys.path)');
  const history = about.getByRole('region', { name: 'History' });
  await expect(history).toContainText('second');
  await history.getByRole('button', { name: /^Restore version 1 / }).click();
  await expect(about.getByLabel('Description')).toHaveValue('first');
  expect((await readSnippet(page, 'living')).metadata.code).toEqual(['answer = 42']);
  await page.screenshot({ path: info.outputPath('snippet.png') });
});

test('a deleted instance is reported and can be restored', async ({ page }) => {
  await createSnippet(page, 'Gone', { description: 'kept in mind' });
  await openLab(page);
  const about = await editSnippet(page, 'gone');
  await deleteSnippets(page);
  await expect(about).toContainText('This instance was deleted.');
  await about.getByRole('button', { name: /^Restore version 1 / }).click();
  await expect(about.getByLabel('Description')).toHaveValue('kept in mind');
  expect((await readSnippet(page, 'gone')).valid).toBe(true);
});

test('suggestions and the code editor work with the keyboard', async ({ page }) => {
  await createSnippet(page, 'Other', { language: 'Haskell' });
  await createSnippet(page, 'Keys');
  await openLab(page);
  const about = await editSnippet(page, 'keys');
  const language = about.getByRole('combobox', { name: 'Language' });
  await language.focus();
  await page.keyboard.press('ArrowDown');
  await expect(about.getByRole('option', { name: 'Haskell' })).toBeVisible();
  await language.fill('hask');
  await expect(about.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(language).toHaveValue('Haskell');
  const code = about.getByRole('textbox', { name: 'Code' });
  await code.focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('main = pure ()');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(code).not.toBeFocused();
  await page.keyboard.press('Control+S');
  await expectSaved(about);
  expect((await readSnippet(page, 'keys')).metadata).toMatchObject({ language: 'Haskell', code: ['main = pure ()'] });
});
