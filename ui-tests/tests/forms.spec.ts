import { expect, findViolations, openLab, readApi, runCommand, test, writeApi } from './lab';

const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,default.shipments,PROD)';
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),shipments.ipynb)';
const PATH = `entities/${encodeURIComponent(TABLE)}`;

interface IContract {
  aspects: { contract: { value: object } };
}

test.setTimeout(120_000);

test('another extension adds a field, a tab, a mark and a search section', async ({ page }) => {
  await openLab(page);
  await writeApi(page, 'PUT', `${PATH}/aspects/businessMetadata`, { properties: {}, tags: ['contracted'] });
  await runCommand(page, 'colophon:open-entity', { urn: TABLE });
  const written = page.getByRole('region', { name: 'Contract' });
  await written.getByRole('button', { name: 'Edit: Contract' }).click();
  const form = page.getByRole('form', { name: 'Edit: Contract' });
  const steward = form.getByRole('textbox', { name: 'Steward' });
  const retention = form.getByRole('spinbutton', { name: 'Retention' });
  const places = await Promise.all([steward.boundingBox(), retention.boundingBox()]);
  expect(places[0]!.y).toBeLessThan(places[1]!.y);

  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert')).toHaveText('Required.');
  await retention.fill('9999');
  await expect(form.getByRole('alert')).toHaveText('At most 3650.');
  await form.getByRole('button', { name: '365 days' }).click();
  await expect(retention).toHaveValue('365');
  await expect(form.getByRole('alert')).toHaveCount(0);
  await steward.fill('urn:li:corpuser:jdoe');
  expect(await findViolations(page, '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page')).toEqual([]);
  await page.keyboard.press('Control+s');
  await expect(written.getByRole('button', { name: 'Edit: Contract' })).toBeVisible();
  const { aspects } = await readApi<IContract>(page, PATH);
  expect(aspects.contract.value).toEqual({ retention: 365, steward: 'urn:li:corpuser:jdoe' });

  await test.step('its tab is added to the page', async () => {
    const tabs = page.locator('.jp-Colophon-page').getByRole('tab');
    await expect(tabs.nth(1)).toHaveText('Contract');
    await tabs.nth(1).click();
    await expect(page.getByRole('region', { name: 'Contract terms' })).toContainText('Kept for 365 days.');
  });

  await test.step('its mark can be chosen in lineage graphs', async () => {
    const run = { program: PROGRAM, runId: 'draft', start: new Date().toISOString() };
    const { urn } = (await writeApi(page, 'POST', 'runs', run)) as { urn: string };
    await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
      accesses: [
        { data: TABLE, mode: 'read' },
        { data: TABLE.replace('shipments', 'draft_delays'), mode: 'write' }
      ]
    });
    await page.getByRole('button', { name: 'Who depends on this contract?' }).click();
    const graph = page.getByRole('group', { name: /^Lineage of default.shipments/ });
    const draft = graph.getByRole('button', { name: /^draft_delays, / });
    await expect(draft).toBeVisible();
    await page.getByLabel('Colour by').selectOption({ label: 'Drafts' });
    await expect(draft).toContainText('draft');
    await expect(draft.locator('[title="Drafts are covered by no contract"]')).toHaveText('draft');
  });

  await test.step('its section is in the search panel', async () => {
    await runCommand(page, 'colophon:show-search');
    const panel = page.getByRole('region', { name: 'Metadata', exact: true });
    // Sections are shown before a search; the panel keeps the search of an earlier test.
    await panel.getByLabel('Search metadata').fill('');
    const section = panel.getByRole('region', { name: 'Contracts' });
    await section.getByRole('button', { name: 'Data under contract' }).click();
    await expect(panel.getByRole('region', { name: 'Entities' })).toContainText('shipments');
  });
});
