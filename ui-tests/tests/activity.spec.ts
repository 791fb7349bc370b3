import type { Page } from '@playwright/test';
import { expect, findViolations, openLab, runCommand, test, waitForLab, writeApi } from './lab';

const TABLE = tableUrn('orders');
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),activity.ipynb#load)';

interface IPerson {
  owner: string;
  name: string;
}

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,default.${name},PROD)`;
}

/** Proposes a change of a certified table as a program, while a policy requires review; returns the id of the proposal. */
async function proposeChange(page: Page): Promise<string> {
  const policy = `entities/${encodeURIComponent('urn:li:accessPolicy:review')}/aspects/accessRules`;
  const rules = [
    { role: 'contributor', to: ['*'] },
    { review: ['annotate'], to: ['*'], on: { certified: true } }
  ];
  const body = { name: `xwriter-${Date.now()}`, scopes: ['read', 'annotate'] };
  const { token } = (await writeApi(page, 'POST', 'service-tokens', body)) as { token: string };
  const value = { properties: { description: 'All orders of the year.' } };
  const proposals = [{ urn: TABLE, aspect: 'businessMetadata', operation: 'annotate', value }];
  const headers = { Authorization: `Bearer ${token}` };
  await writeApi(page, 'PUT', policy, { rules });
  const answer = await page.request.post('colophon/api/proposals', { headers, data: { proposals } });
  await writeApi(page, 'DELETE', policy);
  expect(answer.status()).toBe(202);
  return ((await answer.json()) as { proposal: string }).proposal;
}

test('the activity panel lists edits and runs as they happen, and failed runs of followed data are notified', async ({
  page
}) => {
  await openLab(page);
  const owner = `entities/${encodeURIComponent(TABLE)}/aspects/businessMetadata`;
  await writeApi(page, 'PUT', owner, { properties: { owner: 'ops' }, tags: [] });
  await runCommand(page, 'colophon:show-activity');
  const panel = page.getByRole('region', { name: 'Metadata activity' });
  const rows = panel.getByRole('listitem').filter({ has: page.getByRole('button') });
  await expect(rows.first()).toContainText('orders');
  await writeApi(page, 'PUT', owner, { properties: { owner: 'sales' }, tags: [] });
  await expect(rows.first()).toContainText('ops → sales');
  await expect(rows.first()).toContainText('just now');

  await runCommand(page, 'colophon:follow-entity', { urn: TABLE });
  const start = new Date().toISOString();
  const { urn } = (await writeApi(page, 'POST', 'runs', { program: PROGRAM, runId: 'activity-1', start })) as {
    urn: string;
  };
  const run = `runs/${encodeURIComponent(urn)}`;
  await writeApi(page, 'POST', `${run}/accesses`, { accesses: [{ data: TABLE, mode: 'write' }] });
  await writeApi(page, 'PATCH', run, { status: 'failed', end: start });
  await expect(page.getByText('A run of activity.ipynb#load has failed.').first()).toBeVisible();
  await expect(rows.first()).toContainText('failed');
  await expect(rows.first()).toContainText('Wrote orders');

  await panel.getByRole('button', { name: 'Followed only' }).click();
  await expect(rows.first()).toContainText('activity.ipynb#load');
  await panel.getByRole('button', { name: 'Followed only' }).click();
  await test.step('what a transaction creates is one row, and a period filters the rows', async () => {
    const columns = Array.from({ length: 12 }, (_, index) => `urn:li:schemaField:(${TABLE},c${index})`);
    const proposals = columns.map(column => ({
      urn: column,
      aspect: 'technicalMetadata',
      operation: 'upsert',
      value: { properties: { unit: 'min' }, tags: [] }
    }));
    await writeApi(page, 'POST', 'proposals', { proposals });
    await expect(rows.first()).toContainText('Created 12 columns of default.orders');
    await rows.first().getByRole('button', { name: 'and 9 more' }).click();
    await expect(rows.first().getByRole('button', { name: 'default.orders.c11' })).toBeVisible();
    await panel.getByLabel('Time').selectOption('since');
    await panel.getByLabel('Since', { exact: true }).fill('2999-01-01');
    await expect(panel).toContainText('No changes in this time.');
    await panel.getByLabel('Time').selectOption('today');
    await expect(rows.first()).toContainText('Created 12 columns of default.orders');
  });
  for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
    await runCommand(page, 'apputils:change-theme', { theme });
    expect(await findViolations(page, '#jp-colophon-activity')).toEqual([]);
    await page.screenshot({ path: test.info().outputPath(`${theme}.png`) });
  }
  await panel.getByRole('button', { name: 'activity.ipynb#load' }).first().click();
  await expect(page.getByRole('tab', { name: /load/ })).toBeVisible();

  await test.step('new hits of a followed search are notified, also after a reload', async () => {
    const tag = (name: string): Promise<unknown> =>
      writeApi(page, 'PUT', `entities/${encodeURIComponent(tableUrn(name))}/aspects/businessMetadata`, {
        properties: {},
        tags: ['watched']
      });
    await tag('known');
    await runCommand(page, 'colophon:show-search', { query: 'tags:watched' });
    const search = page.getByRole('region', { name: 'Metadata', exact: true });
    await search.getByRole('button', { name: 'Follow search' }).click();
    expect(await findViolations(page, '.jp-Colophon-search')).toEqual([]);
    await tag('first');
    await expect(page.getByText('New hit of “tags:watched”: first').first()).toBeVisible();
    const known = page.waitForResponse(answer => answer.url().includes('tags%3Awatched'));
    await page.reload();
    await waitForLab(page);
    await known;
    await tag('second');
    await expect(page.getByText('New hit of “tags:watched”: second').first()).toBeVisible();
    await page.getByRole('button', { name: 'Open', exact: true }).first().click();
    await expect(page.getByRole('heading', { name: 'second' })).toBeVisible();
  });

  await test.step('a request appears in its panel, and a certification on the page and in the search', async () => {
    const question = { about: TABLE, kind: 'check', text: 'Are these all orders?' };
    const created = (await writeApi(page, 'POST', 'requests', question)) as { urn: string; author: IPerson };
    const { owner, name: user } = created.author;
    await writeApi(page, 'POST', `entities/${encodeURIComponent(created.urn)}/responses`, { assignees: [owner] });
    await runCommand(page, 'colophon:show-inbox');
    const inbox = page.getByRole('region', { name: 'Requests' }).filter({ has: page.getByRole('tab') });
    const request = inbox.getByRole('listitem').filter({ hasText: 'Are these all orders?' });
    await expect(request).toContainText(user);
    await request.getByRole('button', { name: 'Answer' }).click();
    await request.getByRole('textbox', { name: 'Comment' }).fill('Those of this year.');
    await runCommand(page, 'colophon:open-entity', { urn: TABLE });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Certify…' }).click();
    await page.getByRole('form', { name: 'Certify' }).getByRole('button', { name: 'Certify' }).click();
    const badge = page.getByRole('note').filter({ hasText: 'Certified' });
    await expect(badge).toContainText(user);
    const proposal = await proposeChange(page);
    const responses = `entities/${encodeURIComponent(`urn:li:request:(${TABLE},${proposal})`)}/responses`;
    await writeApi(page, 'POST', responses, { assignees: [owner] });
    const change = inbox.getByRole('listitem').filter({ hasText: 'Proposed change' }).first();
    await change.getByRole('button', { name: 'Show the change' }).click();
    await expect(change.getByRole('list', { name: 'Differences' })).toContainText('All orders of the year.');
    for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
      await runCommand(page, 'apputils:change-theme', { theme });
      expect(await findViolations(page, '#jp-colophon-inbox-panel')).toEqual([]);
      expect(await findViolations(page, '.jp-Colophon-head')).toEqual([]);
    }
    await request.getByRole('button', { name: 'Mark as answered' }).click();
    await expect(request).toBeHidden();
    await expect(page.getByText('1 proposed change waits for review')).toBeVisible();
    await change.getByRole('button', { name: 'Apply' }).click();
    await expect(page.locator('.jp-Colophon-entity').getByText('All orders of the year.').first()).toBeVisible();
    await expect(page.getByText('1 proposed change waits for review')).toBeHidden();
    await runCommand(page, 'colophon:show-search', { query: 'orders' });
    const search = page.getByRole('region', { name: 'Metadata', exact: true });
    await search.getByRole('button', { name: 'Certified', exact: true }).click();
    await expect(search.getByRole('img', { name: /^Certified by/ })).toBeVisible();
  });
});
