import { expect, findViolations, openLab, readApi, runCommand, test, writeApi } from './lab';

const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,default.shipments,PROD)';
const PATH = `entities/${encodeURIComponent(TABLE)}`;

interface IContract {
  aspects: { contract: { value: object } };
}

test.setTimeout(120_000);

test('another package can render its own aspect', async ({ page }) => {
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
});
