import { expect, type Locator, type Page } from '@playwright/test';
import { ask } from './lab';

const TOKEN = process.env.LAB_TEST_TOKEN ?? '';
const LIST = 'schemaspaces/code-snippets/instances';

/** What the journeys look at of an instance. */
export interface IInstance {
  name: string;
  display_name: string;
  metadata: { language?: string; code?: string[]; description?: string; tags?: string[] };
  valid: boolean;
  version: number;
  /** The file's path: the server runs on this machine. */
  resource: string;
}

async function send(page: Page, method: string, path: string, data?: object): Promise<unknown> {
  const headers = { Authorization: `token ${TOKEN}` };
  const answer = await page.request.fetch(`/colophon/api/${path}`, { method, headers, ...(data ? { data } : {}) });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
}

/** A snippet as the server has it. */
export function snippet(page: Page, name: string): Promise<IInstance> {
  return ask<IInstance>(page, `${LIST}/${name}`);
}

/** Makes a snippet, as somebody else would. */
export async function makeSnippet(page: Page, displayName: string, metadata: object = {}): Promise<IInstance> {
  const document = {
    display_name: displayName,
    schema_name: 'code-snippet',
    metadata: { language: 'Python', code: ['answer = 42'], ...metadata }
  };
  return (await send(page, 'POST', LIST, document)) as IInstance;
}

/** Changes a snippet, as somebody else would. */
export async function changeSnippet(page: Page, name: string, metadata: object): Promise<void> {
  const { display_name, metadata: before } = await snippet(page, name);
  await send(page, 'PUT', `${LIST}/${name}`, {
    display_name,
    schema_name: 'code-snippet',
    metadata: { ...before, ...metadata }
  });
}

/** Removes all snippets, broken ones too. */
export async function removeSnippets(page: Page): Promise<void> {
  for (;;) {
    const { instances } = await ask<{ instances: { name: string }[] }>(page, `${LIST}?limit=200`);
    if (instances.length === 0) {
      return;
    }
    for (const { name } of instances) {
      await send(page, 'DELETE', `${LIST}/${name}`);
    }
  }
}

/** The panel of schemaspaces, open. */
export async function openPanel(page: Page): Promise<Locator> {
  await page.getByRole('tab', { name: 'Schemaspaces', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Schemaspaces', exact: true });
  await expect(panel.getByRole('region', { name: /^Code Snippets/ }).getByRole('status')).toContainText('instance');
  return panel;
}

/** A row of the panel. */
export function rowOf(panel: Locator, displayName: string): Locator {
  return panel.getByRole('row').filter({ hasText: displayName });
}
