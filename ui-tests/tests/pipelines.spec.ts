import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, findViolations, openLab, readApi, runCommand, test, writeApi } from './lab';

/** Spark starts in a process of its own. */
const SPARK = { timeout: 120_000 };
const PAGE = '.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Colophon-page';

interface IPipeline {
  metadata: { connections: object[]; stages: { name: string; properties: object }[] };
}

test('a pipeline is composed on the canvas, previewed, run, scheduled and exported', async ({ page, folder }) => {
  writeFileSync(join(folder, 'people.csv'), '1,Ada\n2,Bob\n');
  await openLab(page);
  await writeApi(page, 'PUT', 'entities/urn:li:namespace:staffing/aspects/status', { removed: false });
  await runCommand(page, 'colophon:edit-instance', { space: 'pipelines', schema: 'pipeline' });
  const about = page.locator('.jp-Colophon-instance:visible');
  const stages = about.getByRole('list', { name: 'Stages' });
  const pick = async (text: string): Promise<void> => {
    await about.getByRole('combobox', { name: 'Search plugins' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const card = (name: string) => stages.getByRole('button', { name: new RegExp(`^${name}, `) });

  await test.step('stages are added by search, inserted and connected', async () => {
    await about.getByLabel('Name *', { exact: true }).fill('Names');
    await about.getByLabel('Namespace *').fill('staffing');
    await about.getByRole('button', { name: 'Add a stage', exact: true }).click();
    await pick('files source');
    await expect(card('file')).toBeFocused();
    await about.getByRole('textbox', { name: 'Path', exact: true }).fill(join(folder, 'people.csv'));
    await about.getByLabel('Format', { exact: true }).selectOption('csv');
    await about.getByRole('textbox', { name: 'Schema' }).fill('id INT, name STRING');
    const name = about.getByLabel('Name of the stage');
    await name.fill('people');
    await name.press('Enter');
    await expect(card('people')).toBeVisible();
    await card('people').press('Insert');
    await pick('sink file');
    await about.getByRole('textbox', { name: 'Path', exact: true }).fill('${sink}');
    // The card is not the target of the drag: the connection is added by its handle.
    await about.getByRole('button', { name: 'Add a stage', exact: true }).click();
    await pick('projection');
    const target = (await card('projection').boundingBox())!;
    const handle = (await stages.locator('[data-stage="people"] .jp-Colophon-stagePort').boundingBox())!;
    await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
    await page.mouse.down();
    await page.mouse.move(target.x + 40, target.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect(about.locator('path[data-from="people"][data-to="projection"]')).toBeAttached();
    await about.getByRole('button', { name: 'Undo' }).click();
    await about.getByRole('button', { name: 'Undo' }).click();
    await expect(card('projection')).toHaveCount(0);
    await about.locator('.jp-Colophon-connectionTools').hover();
    await about.getByRole('button', { name: 'Insert a stage between people and file' }).click();
    await pick('projection');
    await expect(about.locator('path[data-from="projection"][data-to="file"]')).toBeAttached();
  });

  await test.step('errors are shown at stages and fields while the pipeline is edited', async () => {
    await about.getByRole('button', { name: 'Add to Keep' }).click();
    await about.getByRole('group', { name: 'Keep' }).getByRole('textbox').fill('city');
    await expect(about.getByRole('alert')).toHaveText('unknown input column city; available: id, name');
    await expect(card('projection')).toHaveAccessibleName(/, 1 error$/);
    await about.getByRole('group', { name: 'Keep' }).getByRole('textbox').fill('name');
    await expect(card('projection')).not.toHaveAccessibleName(/error/);
    await expect(about.locator('[data-stage="projection"]')).toContainText('1 column');
  });

  await test.step('a preview shows the rows of a draft whose other stages are incomplete', async () => {
    await about.getByRole('tab', { name: 'Output' }).click();
    await about.getByRole('button', { name: 'Preview', exact: true }).click();
    const rows = about.getByRole('table', { name: 'Rows of projection' });
    await expect(rows).toHaveText('nameAdaBob', SPARK);
    await expect(about.getByRole('table', { name: 'Columns' })).toContainText('string');
  });

  await test.step('a run shows its progress on the canvas', async () => {
    await about.getByRole('tab', { name: 'Run', exact: true }).click();
    await about.getByLabel('sink', { exact: true }).fill(join(folder, 'out'));
    await expect(about.getByRole('toolbar', { name: 'Pipeline' })).toContainText('Valid');
    await about.getByRole('button', { name: 'Save and run' }).click();
    await expect(card('file')).toHaveAccessibleName(/, succeeded$/, SPARK);
    await expect(about.getByRole('group', { name: 'Log' })).toContainText('file has written');
    await expect(about.getByRole('table', { name: 'Stages', exact: true })).toContainText('projectionsucceeded2');
    expect(readdirSync(join(folder, 'out')).some(name => name.endsWith('.parquet'))).toBe(true);
    const { metadata } = await readApi<IPipeline>(page, 'schemaspaces/pipelines/instances/names');
    expect(metadata.stages.map(({ name }) => name)).toEqual(['people', 'file', 'projection']);
    await about.getByRole('tab', { name: /^Last runs/ }).click();
    await expect(about.getByRole('table', { name: 'Last runs' }).getByRole('row')).toHaveCount(2);
  });

  await test.step('rows, progress and runs are accessible in the dark theme', async () => {
    await runCommand(page, 'apputils:change-theme', { theme: 'JupyterLab Dark' });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', 'false');
    for (const tab of ['Output', 'Run', 'Last runs']) {
      await about.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
      expect(await findViolations(page, PAGE), tab).toEqual([]);
    }
    await about.getByRole('tab', { name: /^Schedules/ }).click();
  });

  await test.step('a schedule is created, and the package is downloaded', async () => {
    const schedule = about.getByRole('group', { name: 'New schedule' });
    await schedule.getByLabel('Name').fill('Names each day');
    await schedule.getByLabel('Minute, hour').fill('0 5 * * *');
    await schedule.getByRole('button', { name: 'Create' }).click();
    await expect(about.getByRole('table', { name: 'Schedules' })).toContainText('0 5 * * *');
    const download = page.waitForEvent('download');
    await about.getByRole('button', { name: 'Export for spark-submit' }).click();
    expect((await download).suggestedFilename()).toBe('names.zip');
    await expect(about.getByRole('group', { name: 'Command' })).toContainText('spark-submit --py-files');
  });
});
