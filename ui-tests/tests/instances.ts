import { expect, type Locator, type Page } from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readApi, writeApi } from './lab';

const LIST = 'schemaspaces/code-snippets/instances';
const RECOVERY = 'schemaspaces/code-snippets/recovery-files';

/** The members of an instance that the tests use. */
export interface IInstance {
  name: string;
  display_name: string;
  metadata: { language?: string; code?: string[]; description?: string; tags?: string[] };
  valid: boolean;
  version: number;
  /** The path of the file: the server runs on this machine. */
  resource: string;
}

/** Reads a snippet from the server. */
export function readSnippet(page: Page, name: string): Promise<IInstance> {
  return readApi<IInstance>(page, `${LIST}/${name}`);
}

/** Creates a snippet outside the browser. */
export async function createSnippet(page: Page, displayName: string, metadata: object = {}): Promise<IInstance> {
  const document = {
    display_name: displayName,
    schema_name: 'code-snippet',
    metadata: { language: 'Python', code: ['answer = 42'], ...metadata }
  };
  return (await writeApi(page, 'POST', LIST, document)) as IInstance;
}

/** Updates a snippet outside the browser. */
export async function updateSnippet(page: Page, name: string, metadata: object): Promise<void> {
  const { display_name, metadata: before } = await readSnippet(page, name);
  await writeApi(page, 'PUT', `${LIST}/${name}`, {
    display_name,
    schema_name: 'code-snippet',
    metadata: { ...before, ...metadata }
  });
}

/** Deletes all snippets, including invalid ones, and copies that were recovered from interrupted saves. */
export async function deleteSnippets(page: Page): Promise<void> {
  const { recoveryFiles } = await readApi<{ recoveryFiles: { file: string }[] }>(page, RECOVERY);
  for (const { file } of recoveryFiles) {
    await writeApi(page, 'POST', `${RECOVERY}/discard`, { file });
  }
  for (;;) {
    const { instances } = await readApi<{ instances: { name: string }[] }>(page, `${LIST}?limit=20`);
    if (instances.length === 0) {
      return;
    }
    await Promise.all(instances.map(({ name }) => writeApi(page, 'DELETE', `${LIST}/${name}`)));
  }
}

/** Opens the panel Schemaspaces. */
export async function openPanel(page: Page): Promise<Locator> {
  await page.getByRole('tab', { name: 'Schemaspaces', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Schemaspaces', exact: true });
  await expect(panel.getByRole('region', { name: /^Code Snippets/ }).getByRole('status')).toContainText('instance');
  return panel;
}

/** Returns a row of the panel. */
export function getRow(panel: Locator, displayName: string): Locator {
  return panel.getByRole('row').filter({ hasText: displayName });
}

/** Creates the recovery files of interrupted saves in the folder of another snippet; that of `nothing` is empty. */
export function createRecoveryFiles(beside: string, ...names: string[]): string[] {
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
