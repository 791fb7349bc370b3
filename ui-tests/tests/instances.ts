import { expect, type Locator, type Page } from '@playwright/test';
import { readApi } from './lab';

const TOKEN = process.env.LAB_TEST_TOKEN ?? '';
const LIST = 'schemaspaces/code-snippets/instances';

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

async function sendApi(page: Page, method: string, path: string, data?: object): Promise<unknown> {
  const headers = { Authorization: `token ${TOKEN}` };
  const answer = await page.request.fetch(`/colophon/api/${path}`, { method, headers, ...(data ? { data } : {}) });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
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
  return (await sendApi(page, 'POST', LIST, document)) as IInstance;
}

/** Updates a snippet outside the browser. */
export async function updateSnippet(page: Page, name: string, metadata: object): Promise<void> {
  const { display_name, metadata: before } = await readSnippet(page, name);
  await sendApi(page, 'PUT', `${LIST}/${name}`, {
    display_name,
    schema_name: 'code-snippet',
    metadata: { ...before, ...metadata }
  });
}

/** Deletes all snippets, including invalid ones. */
export async function deleteSnippets(page: Page): Promise<void> {
  for (;;) {
    const { instances } = await readApi<{ instances: { name: string }[] }>(page, `${LIST}?limit=200`);
    if (instances.length === 0) {
      return;
    }
    for (const { name } of instances) {
      await sendApi(page, 'DELETE', `${LIST}/${name}`);
    }
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
