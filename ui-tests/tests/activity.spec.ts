import { expect, findViolations, openLab, runCommand, test, writeApi } from './lab';

const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,default.orders,PROD)';
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),activity.ipynb#load)';

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
  for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
    await runCommand(page, 'apputils:change-theme', { theme });
    expect(await findViolations(page, '#jp-colophon-activity')).toEqual([]);
  }
  await rows.first().getByRole('button', { name: 'activity.ipynb#load' }).click();
  await expect(page.getByRole('tab', { name: /load/ })).toBeVisible();
});
