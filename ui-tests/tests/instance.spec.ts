import { expect, test, type Locator, type Page } from '@playwright/test';
import { changeSnippet, makeSnippet, removeSnippets, snippet } from './instances';
import { ask, labReady, openLab, rememberedLayout, run } from './lab';

/** The page of an instance that is in view. */
function pageOf(page: Page): Locator {
  return page.locator('.jp-Colophon-instance:visible');
}

async function edit(page: Page, name: string): Promise<Locator> {
  await run(page, 'colophon:edit-instance', { space: 'code-snippets', schema: 'code-snippet', name });
  const about = pageOf(page);
  await expect(about.getByRole('textbox', { name: 'Code' })).toBeVisible();
  return about;
}

async function saved(about: Locator): Promise<void> {
  await expect(about.getByText('Everything is saved.')).toBeVisible();
}

/** Leaves nothing behind that other journeys would see. */
async function removeRuntimes(page: Page): Promise<void> {
  const { instances } = await ask<{ instances: { name: string }[] }>(page, 'schemaspaces/runtimes/instances');
  const headers = { Authorization: `token ${process.env.LAB_TEST_TOKEN ?? ''}` };
  for (const { name } of instances) {
    await page.request.delete(`/colophon/api/schemaspaces/runtimes/instances/${name}`, { headers });
  }
}

test.beforeEach(async ({ page }) => removeSnippets(page));
test.afterEach(async ({ page }) => removeRuntimes(page));

test('a secret is typed, kept without ever coming back, and left alone by the next save', async ({ page }, info) => {
  await openLab(page);
  await run(page, 'colophon:edit-instance', { space: 'runtimes', schema: 'kfp' });
  const about = pageOf(page);
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
  await about.getByRole('button', { name: 'Show what is typed in Cloud Object Storage Password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.screenshot({ path: info.outputPath('runtime.png') });
  // What is put down for a reload is put down a moment after the last key.
  await expect(async () => {
    const kept = await page.evaluate(() => JSON.stringify({ ...window.localStorage }));
    expect(kept).toContain('store.example.org');
    expect(kept).not.toContain('CANARY');
  }).toPass();
  await about.getByRole('button', { name: 'Save', exact: true }).click();
  await saved(about);
  await expect(password).toHaveValue('');
  await expect(about).toContainText('One is kept');
  const { instances } = await ask<{ instances: { name: string }[] }>(page, 'schemaspaces/runtimes/instances');
  const [name] = instances.map(one => one.name);
  type Runtime = { metadata: { cos_password: unknown; cos_bucket: string }; version: number };
  await about.getByLabel('Cloud Object Storage Bucket Name *').fill('another');
  await page.keyboard.press('Control+S');
  await saved(about);
  const kept = await ask<Runtime>(page, `schemaspaces/runtimes/instances/${name}`);
  expect(kept.metadata).toMatchObject({ cos_password: { $secret: true }, cos_bucket: 'another' });
  await expect(about.getByRole('region', { name: 'History' })).toContainText('another');
  await expect(page.locator('body')).not.toContainText('CANARY');
});

test('what was typed outlives a reload, and a tab is not closed over it without a question', async ({ page }) => {
  await makeSnippet(page, 'Draft', { description: 'as it was' });
  await openLab(page);
  let about = await edit(page, 'draft');
  await about.getByLabel('Description').fill('half of a thought');
  await expect(async () => expect(await rememberedLayout(page)).toContain('colophon-instance:')).toPass();
  page.on('dialog', dialog => void dialog.accept());
  await page.reload();
  await labReady(page);
  about = pageOf(page);
  await expect(about.getByLabel('Description')).toHaveValue('half of a thought');
  await expect(about).toContainText('is back; secrets have to be typed again');
  expect((await snippet(page, 'draft')).metadata.description).toBe('as it was');
  await run(page, 'application:close');
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Go on editing' }).click();
  await expect(about.getByLabel('Description')).toHaveValue('half of a thought');
  await about.getByRole('button', { name: 'Drop it' }).click();
  await expect(about.getByLabel('Description')).toHaveValue('as it was');
  await run(page, 'application:close');
  await expect(about).toHaveCount(0);
});

test('an untouched form follows what others save, and an earlier version is restored', async ({ page }, info) => {
  await makeSnippet(page, 'Living', { description: 'first' });
  await openLab(page);
  const about = await edit(page, 'living');
  await changeSnippet(page, 'living', { description: 'second', code: ['import sys', 'print(sys.path)'] });
  await expect(about.getByLabel('Description')).toHaveValue('second');
  await expect(about.getByRole('textbox', { name: 'Code' })).toContainText('print(sys.path)');
  const history = about.getByRole('region', { name: 'History' });
  await expect(history).toContainText('second');
  await history.getByRole('button', { name: /^Restore version 1 / }).click();
  await expect(about.getByLabel('Description')).toHaveValue('first');
  expect((await snippet(page, 'living')).metadata.code).toEqual(['answer = 42']);
  await page.screenshot({ path: info.outputPath('snippet.png') });
});

test('what is removed meanwhile says so, and its history brings it back', async ({ page }) => {
  await makeSnippet(page, 'Gone', { description: 'kept in mind' });
  await openLab(page);
  const about = await edit(page, 'gone');
  await removeSnippets(page);
  await expect(about).toContainText('This was removed.');
  await about.getByRole('button', { name: /^Restore version 1 / }).click();
  await expect(about.getByLabel('Description')).toHaveValue('kept in mind');
  expect((await snippet(page, 'gone')).valid).toBe(true);
});

test('with the keyboard a language is chosen from the suggestions, and the code is left again', async ({ page }) => {
  await makeSnippet(page, 'Other', { language: 'Haskell' });
  await makeSnippet(page, 'Keys');
  await openLab(page);
  const about = await edit(page, 'keys');
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
  await saved(about);
  expect((await snippet(page, 'keys')).metadata).toMatchObject({ language: 'Haskell', code: ['main = pure ()'] });
});
