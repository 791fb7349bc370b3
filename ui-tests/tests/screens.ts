import type { Locator, Page } from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRecoveryFiles, createSnippet } from './instances';
import { expect, readApi, runCommand, startCommand, writeApi, writeFile } from './lab';

const SOURCE = tableUrn('xsource');
export const TABLE = tableUrn('xtable');
const NOTEBOOK = 'xbook.ipynb';
const PROGRAM = `urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.${NOTEBOOK}#xcell)`;
const TABS = ['Overview', 'Columns', 'Lineage', 'Runs', 'History', 'Raw'];

/** JupyterLab's own pseudo-locale: translated texts begin with this. */
export const MARK = '⟦';

/** A panel, page or dialog, as a user sees it. It is opened several times. */
export interface IScreen {
  name: string;
  /** The selector of its parts. */
  within: string;
  /** Whether its colours are those of other screens. */
  isPlain?: boolean;
  open(page: Page): Promise<void>;
  /** Closes what would cover or change the next screen. */
  close?(page: Page): Promise<void>;
}

function tableUrn(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,xdb.${name},PROD)`;
}

function getAspectPath(urn: string, aspect: string): string {
  return `entities/${encodeURIComponent(urn)}/aspects/${aspect}`;
}

/** Matches a name that may be marked. */
function named(name: string): RegExp {
  return new RegExp(`^${MARK}?${name}`);
}

/** Records a table that a cell wrote, with metadata of all kinds; returns the run. */
async function recordTable(page: Page): Promise<string> {
  const start = '2026-11-20T12:00:00.000Z';
  const run = { program: PROGRAM, runId: 'xrun', start, end: '2026-11-20T12:00:01.000Z', status: 'succeeded' };
  const facts = { notebook: NOTEBOOK, cellId: 'xcell', executionCount: 3, source: 'xsource()' };
  const { urn } = (await writeApi(page, 'POST', 'runs', { ...run, facts })) as { urn: string };
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
    accesses: [
      { data: SOURCE, mode: 'read' },
      { data: TABLE, mode: 'write' }
    ],
    columns: [
      { source: SOURCE, sourceField: 'xfrom', target: TABLE, targetField: 'xprice', transformation: 'aggregation' }
    ]
  });
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'schemaMetadata'), {
    ...{ schemaName: 'xtable', platform: 'urn:li:dataPlatform:spark', version: 0, hash: '', primaryKeys: ['xprice'] },
    platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: '' } },
    fields: ['xprice', 'xname'].map(fieldPath => ({ fieldPath, nativeDataType: 'xstring', nullable: true }))
  });
  const quantiles = [0.25, 0.5, 0.75].map(rank => ({ quantile: `${rank}`, value: `${rank * 8}` }));
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'datasetProfile'), {
    ...{ timestampMillis: Date.parse(start), rowCount: 4, columnCount: 2, sizeInBytes: 3_200_000 },
    fieldProfiles: [
      { fieldPath: 'xprice', nullProportion: 0.25, nullCount: 1, min: '0', max: '8', mean: '4', quantiles }
    ]
  });
  const user = { properties: { owner: 'xowner', xkey: 'xvalue' }, tags: ['xtag'] };
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'businessMetadata'), { ...user, properties: { owner: 'xfirst' } });
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'businessMetadata'), user);
  return urn;
}

/** Writes the notebook of the table, with an output of `%metadata`. */
async function writeNotebook(page: Page): Promise<void> {
  const shown = {
    elements: [
      { kind: 'title', text: { text: 'xdb.xtable', urn: TABLE }, note: 'xnote' },
      { kind: 'tags', label: 'xtags', words: ['xtag'], key: 'tags' }
    ]
  };
  const data = { 'text/plain': 'xdb.xtable', 'application/vnd.jupyter-colophon.page.v1+json': shown };
  const outputs = [{ output_type: 'display_data', data, metadata: {} }];
  const cell = { cell_type: 'code', id: 'xcell', source: 'xsource()', metadata: {}, outputs, execution_count: 3 };
  await writeFile(page, NOTEBOOK, { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
}

/** Creates snippets, of which one is invalid and one was recovered, and a pipeline. */
async function createInstances(page: Page): Promise<void> {
  const { resource } = await createSnippet(page, 'Xsnippet', {
    ...{ tags: ['xtag'], description: 'xdescription', code: ['x = 1'] }
  });
  createRecoveryFiles(resource, 'xlost');
  const invalid = { display_name: 'Xhalf', schema_name: 'code-snippet', metadata: {} };
  writeFileSync(join(dirname(resource), 'xhalf.json'), JSON.stringify(invalid));
  await writeApi(page, 'PUT', 'entities/urn:li:namespace:xstaff/aspects/status', { removed: false });
  const stages = [
    { name: 'xread', type: 'source', plugin: 'file', properties: { path: '/x', format: 'csv', schema: 'xid INT' } },
    { name: 'xwrite', type: 'sink', plugin: 'file', properties: {} }
  ];
  const metadata = { namespace: 'xstaff', stages, connections: [{ from: 'xread', to: 'xwrite' }] };
  const { instances } = await readApi<{ instances: { name: string }[] }>(page, 'schemaspaces/pipelines/instances');
  if (!instances.some(({ name }) => name === 'xpipeline')) {
    const document = { display_name: 'Xpipeline', schema_name: 'pipeline', metadata };
    await writeApi(page, 'POST', 'schemaspaces/pipelines/instances', document);
  }
}

/** Records what the screens show; returns the run of the table. All words begin with x. */
export async function recordContent(page: Page): Promise<string> {
  const run = await recordTable(page);
  await writeNotebook(page);
  await createInstances(page);
  return run;
}

/** Shows a tab of the page of the table. */
async function openTab(page: Page, name: string): Promise<void> {
  await runCommand(page, 'colophon:open-entity', { urn: TABLE });
  const body = page.locator('.jp-Colophon-page:visible');
  await body.getByRole('tab', { name: named(name) }).click();
  await expect(body.getByRole('tabpanel')).toBeVisible();
}

async function search(page: Page, query: string): Promise<Locator> {
  await runCommand(page, 'colophon:show-search');
  const panel = page.locator('.jp-Colophon-search');
  await panel.getByRole('combobox').first().fill(query);
  return panel;
}

function listSearchScreens(): IScreen[] {
  const within = '.jp-Colophon-search';
  return [
    {
      name: 'search: start',
      within,
      open: async page => {
        const panel = await search(page, '');
        await expect(panel.locator('.jp-Colophon-results[data-start="true"]')).toContainText('xtable');
      }
    },
    {
      name: 'search: completions',
      within,
      open: async page => {
        const panel = await search(page, '');
        await panel.getByRole('combobox').first().pressSequentially('xke');
        await expect(panel.getByRole('option').first()).toBeVisible();
      },
      close: page => page.keyboard.press('Escape')
    },
    {
      name: 'search: hits',
      within,
      open: async page => {
        const panel = await search(page, 'xtable');
        await expect(panel.locator('.jp-Colophon-entities')).toContainText('xtable');
      }
    }
  ];
}

/** Shows the editor of an instance. */
async function openInstance(page: Page, space: string, schema: string, name: string): Promise<Locator> {
  await runCommand(page, 'colophon:edit-instance', { space, schema, name });
  return page.locator('.jp-Colophon-instance:visible');
}

function listInstanceScreens(): IScreen[] {
  const within = '.jp-Colophon-instance';
  const openPipeline = async (page: Page): Promise<Locator> => {
    const about = await openInstance(page, 'pipelines', 'pipeline', 'xpipeline');
    await about.locator('[data-stage="xread"] .jp-Colophon-stageCard').click();
    await expect(about.locator('.jp-Colophon-inspector input').first()).toHaveValue('xread');
    return about;
  };
  const details = ['Stages', 'Output', 'Errors', 'Run', 'Last runs', 'Schedules'].map(name => ({
    name: `pipeline: ${name}`,
    within,
    isPlain: !['Stages', 'Run'].includes(name),
    open: async (page: Page) => {
      const about = await openPipeline(page);
      await about
        .locator('.jp-Colophon-pipelineDetails')
        .getByRole('tab', { name: named(name) })
        .click();
    }
  }));
  return [
    {
      name: 'schemaspaces',
      within: '#jp-colophon-schemaspaces',
      open: async page => {
        await runCommand(page, 'colophon:show-schemaspaces');
        const panel = page.locator('#jp-colophon-schemaspaces');
        await expect(panel).toContainText('Xsnippet');
        await expect(panel).toContainText('Xhalf');
        await panel.locator('details').evaluateAll(notes => notes.forEach(note => note.setAttribute('open', '')));
        await expect(panel).toContainText('xlost');
      }
    },
    {
      name: 'instance',
      within,
      open: async page => {
        const about = await openInstance(page, 'code-snippets', 'code-snippet', 'xsnippet');
        await expect(about.locator('.cm-content')).toBeVisible();
      }
    },
    ...details,
    {
      name: 'pipeline: plugins',
      within,
      open: async page => {
        const about = await openPipeline(page);
        await about.locator('[data-stage="xread"] .jp-Colophon-stageCard').press('Insert');
        await expect(about.getByRole('listbox').getByRole('option').first()).toBeVisible();
      },
      close: page => page.keyboard.press('Escape')
    }
  ];
}

function listDialogs(): IScreen[] {
  const within = '.jp-Dialog';
  const close = async (page: Page): Promise<void> => {
    await page.keyboard.press('Escape');
    await expect(page.locator(within)).toHaveCount(0);
  };
  return [
    {
      name: 'picker',
      within,
      open: async page => {
        await startCommand(page, 'colophon:pick-entity');
        await page.locator('.jp-Dialog').getByRole('combobox').fill('xtable');
        await expect(page.locator('.jp-Dialog').getByRole('option').first()).toBeVisible();
      },
      close
    },
    {
      name: 'deletion',
      within,
      open: async page => {
        await startCommand(page, 'colophon:delete-entity', { urn: SOURCE });
        await expect(page.locator('.jp-Dialog .jp-Colophon-affected')).toContainText('xtable');
      },
      close
    }
  ];
}

function listPages(run: string): IScreen[] {
  const tabs = TABS.map(name => ({
    name: `page: ${name}`,
    within: '.jp-Colophon-page',
    open: (page: Page) => openTab(page, name)
  }));
  const lineage = (page: Page): Locator => page.locator('.jp-Colophon-lineage:visible');
  const toggle = async (page: Page, name: string, pressed: boolean): Promise<void> => {
    const button = lineage(page).getByRole('button', { name: named(name) });
    if ((await button.getAttribute('aria-pressed')) !== String(pressed)) {
      await button.click();
    }
  };
  const vocabulary = ['keys', 'term'].map(tab => ({
    name: `vocabulary: ${tab}`,
    isPlain: tab !== 'keys',
    within: '.jp-Colophon-vocabulary',
    open: async (page: Page) => {
      await runCommand(page, 'colophon:show-vocabulary', { tab });
      await expect(page.locator('.jp-Colophon-vocabulary').getByRole('tabpanel')).toBeVisible();
    }
  }));
  return [
    ...tabs,
    {
      name: 'run',
      within: '.jp-Colophon-page',
      open: async page => {
        await runCommand(page, 'colophon:open-run', { urn: run });
        await expect(page.locator('.jp-Colophon-page:visible')).toContainText('xcell');
      }
    },
    {
      name: 'lineage',
      within: '.jp-Colophon-lineage',
      open: async page => {
        await runCommand(page, 'colophon:open-lineage', { urn: TABLE });
        await expect(lineage(page).locator('[data-nodes="3"]')).toBeVisible();
        await toggle(page, 'Columns', true);
        await toggle(page, 'Legend', true);
        // The columns may arrive, and the nodes be drawn again, while the key is pressed.
        await expect(async () => {
          await lineage(page)
            .getByRole('button', { name: named('xtable, ') })
            .press('Space');
          await expect(lineage(page).getByRole('complementary')).toBeVisible({ timeout: 10_000 });
        }).toPass();
      }
    },
    {
      name: 'lineage: table',
      within: '.jp-Colophon-lineage',
      open: async page => {
        await runCommand(page, 'colophon:open-lineage', { urn: TABLE });
        await toggle(page, 'Table', true);
        await expect(lineage(page).locator('.jp-Colophon-edges')).toContainText('xsource');
      },
      close: page => toggle(page, 'Table', false)
    },
    ...vocabulary,
    {
      name: 'bulk edit',
      within: '.jp-Colophon-bulkEdit',
      open: async page => {
        await runCommand(page, 'colophon:edit-entities', { urns: [TABLE, SOURCE] });
        await expect(page.locator('.jp-Colophon-bulkEdit:visible')).toBeVisible();
      },
      close: page => runCommand(page, 'application:close')
    },
    {
      name: 'notebook',
      within: ':is(.jp-Colophon-cellBadge, .jp-Colophon-dataButton, .jp-Colophon-answer)',
      open: async page => {
        await runCommand(page, 'docmanager:open', { path: NOTEBOOK, kernelPreference: { shouldStart: false } });
        await expect(page.locator('.jp-Colophon-cellBadge')).toContainText('xtable');
        await expect(page.locator('.jp-Colophon-answer')).toContainText('xtag');
      }
    },
    {
      name: 'activity',
      within: '#jp-colophon-activity',
      open: async page => {
        await runCommand(page, 'colophon:show-activity');
        await expect(page.locator('#jp-colophon-activity')).toContainText('xtable');
      }
    }
  ];
}

const POLICY = 'urn:li:accessPolicy:xpolicy';
const SENSITIVE = tableUrn('xsensitive');

/** The pages of the audit, of retention rules, and of the data of people. */
function listRecordScreens(): IScreen[] {
  const close = (page: Page): Promise<void> => runCommand(page, 'application:close');
  return [
    {
      name: 'audit',
      within: '.jp-Colophon-audit',
      open: async page => {
        const marked = { properties: {}, tags: ['confidential'] };
        await writeApi(page, 'PUT', getAspectPath(SENSITIVE, 'businessMetadata'), marked);
        await readApi(page, `entities/${encodeURIComponent(SENSITIVE)}`);
        await runCommand(page, 'colophon:show-audit');
        const body = page.locator('.jp-Colophon-audit:visible');
        await body.locator('form input').nth(1).fill(SENSITIVE);
        await body.locator('form button[type="submit"]').click();
        await expect(body.locator('tbody tr').nth(1)).toContainText('xsensitive');
        await body.locator('button', { hasText: 'Verify the chain' }).click();
        await expect(body.locator('.jp-Colophon-urn code')).toHaveText(/^[0-9a-f]{64}$/);
      },
      close
    },
    {
      name: 'retention',
      within: '.jp-Colophon-retention',
      isPlain: true,
      open: async page => {
        await runCommand(page, 'colophon:show-retention');
        const body = page.locator('.jp-Colophon-retention:visible');
        await body.locator('button', { hasText: 'Edit a copy of the rules' }).click();
        await body.locator('.jp-Colophon-prompt').click();
        const form = body.locator('form');
        await form.locator('input').first().fill('xdb');
        await form.locator('select').nth(1).selectOption('businessMetadata');
        await form.locator('input[type="number"]').first().fill('1');
        await form.locator('button[type="submit"]').click();
        await body.locator('button', { hasText: 'Count what they would delete' }).click();
        await expect(body.locator('table').last()).toContainText('businessMetadata');
        await body.locator('tbody button').first().click();
        await expect(form).toBeVisible();
      },
      close: async page => {
        await page.locator('.jp-Colophon-retention:visible tbody button').nth(1).click();
        await close(page);
      }
    },
    {
      name: 'applications',
      within: '.jp-Colophon-applications',
      isPlain: true,
      open: async page => {
        await runCommand(page, 'colophon:show-applications');
        await expect(page.locator('.jp-Colophon-applications:visible table').first()).toBeVisible();
      },
      close
    },
    {
      name: 'privacy',
      within: '.jp-Colophon-privacy',
      isPlain: true,
      open: async page => {
        const owners = [{ owner: 'urn:li:corpuser:xperson', type: 'DATAOWNER' }];
        const ownership = { owners, lastModified: { time: 0, actor: 'urn:li:corpuser:xperson' } };
        await writeApi(page, 'PUT', getAspectPath(SENSITIVE, 'ownership'), ownership);
        await runCommand(page, 'colophon:show-privacy');
        const body = page.locator('.jp-Colophon-privacy:visible');
        await body.locator('form input').fill('xperson');
        await body.locator('form button').click();
        await body.locator('button', { hasText: 'Erase…' }).click();
        await body.locator('form').last().locator('input').fill('xperson');
      },
      close: async page => {
        const body = page.locator('.jp-Colophon-privacy:visible');
        await body.locator('form').last().locator('button[type="submit"]').click();
        await expect(body.locator('tbody tr').first()).toContainText('finished');
        const entity = await readApi<object>(page, `entities/${encodeURIComponent(SENSITIVE)}`);
        expect(JSON.stringify(entity)).not.toContain('xperson');
        await close(page);
      }
    }
  ];
}

function listAdministrationScreens(): IScreen[] {
  return [
    {
      name: 'policies',
      within: '.jp-Colophon-policies',
      open: async page => {
        const rules = [
          { role: 'viewer', to: ['group:xgroup'], on: { namespace: ['xspace'] } },
          { deny: ['read'], to: ['*'], on: { tag: ['xtag'] } }
        ];
        await writeApi(page, 'PUT', getAspectPath(POLICY, 'accessRules'), { description: 'xdescription', rules });
        await runCommand(page, 'colophon:show-policies');
        const body = page.locator('.jp-Colophon-policies:visible');
        await body.locator(`[data-policy="${POLICY}"] button`).nth(1).click();
        await expect(body.locator('.jp-Colophon-policyImpact code').first()).toBeVisible();
      },
      close: async page => {
        await runCommand(page, 'application:close');
        await writeApi(page, 'DELETE', `entities/${encodeURIComponent(POLICY)}`);
      }
    },
    {
      name: 'service tokens',
      within: '.jp-Colophon-serviceTokens',
      open: async page => {
        await runCommand(page, 'colophon:show-service-tokens');
        await page.locator('.jp-Colophon-serviceTokens:visible .jp-Colophon-prompt').click();
      },
      close: page => runCommand(page, 'application:close')
    }
  ];
}

/** Lists all panels, pages and dialogs, for the content that was recorded with a run. */
export function listScreens(run: string): IScreen[] {
  return [
    ...listSearchScreens(),
    ...listPages(run),
    ...listInstanceScreens(),
    ...listAdministrationScreens(),
    ...listRecordScreens(),
    ...listDialogs()
  ];
}
