import type { Locator, Page } from '@playwright/test';
import { createSnippet, deleteSnippets } from './instances';
import { expect, findViolations, loadLab, openLab, readApi, requestServer, runCommand, test, writeApi } from './lab';

const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,xdb.xtable,PROD)';
const SOURCE = TABLE.replace('xtable', 'xsource');
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.xbook.ipynb#xcell)';
const TABS = ['Overview', 'Columns', 'Lineage', 'Runs', 'History', 'Raw'];

/** JupyterLab's own pseudo-locale: translated texts begin with this. */
const MARK = '⟦';
const LANGUAGE = 'lab/api/settings/@jupyterlab/translation-extension:plugin';

/** A panel or page, as a user sees it. */
interface IScreen {
  name: string;
  within: string;
  open(page: Page): Promise<void>;
}

function getAspectPath(urn: string, aspect: string): string {
  return `entities/${encodeURIComponent(urn)}/aspects/${aspect}`;
}

/** Records a table that a cell wrote, with metadata of all kinds; returns the run. All words begin with x. */
async function recordTable(page: Page): Promise<string> {
  const start = '2026-11-20T12:00:00.000Z';
  const run = { program: PROGRAM, runId: 'xrun', start, end: '2026-11-20T12:00:01.000Z', status: 'succeeded' };
  const facts = { notebook: 'xbook.ipynb', cellId: 'xcell', executionCount: 3, source: 'xsource()' };
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
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'datasetProfile'), {
    ...{ timestampMillis: Date.parse(start), rowCount: 4, columnCount: 2, sizeInBytes: 3_200_000 },
    fieldProfiles: [{ fieldPath: 'xprice', nullProportion: 0.25, nullCount: 1, min: '0', max: '9', mean: '4' }]
  });
  const user = { properties: { owner: 'xowner', xkey: 'xvalue' }, tags: ['xtag'] };
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'businessMetadata'), { ...user, properties: { owner: 'xfirst' } });
  await writeApi(page, 'PUT', getAspectPath(TABLE, 'businessMetadata'), user);
  await createSnippet(page, 'Xsnippet', { tags: ['xtag'], description: 'xdescription', code: ['x = 1'] });
  return urn;
}

/** Shows a tab of the page of an entity. Its label may be marked. */
async function openTab(page: Page, name: string): Promise<void> {
  await runCommand(page, 'colophon:open-entity', { urn: TABLE });
  await page
    .locator('.jp-Colophon-page:visible')
    .getByRole('tab', { name: new RegExp(`^${MARK}?${name}`) })
    .click();
  await expect(page.locator('.jp-Colophon-page:visible').getByRole('tabpanel')).toBeVisible();
}

function listScreens(run: string): IScreen[] {
  const search = (page: Page): Locator => page.locator('.jp-Colophon-searchBody').getByRole('combobox').first();
  const tabs = TABS.map(name => ({
    name: `page: ${name}`,
    within: '.jp-Colophon-page',
    open: (page: Page) => openTab(page, name)
  }));
  return [
    {
      name: 'search: start',
      within: '.jp-Colophon-search',
      open: async page => {
        await runCommand(page, 'colophon:show-search');
        await search(page).fill('');
        await expect(page.locator('.jp-Colophon-results[data-start="true"]')).toContainText('xtable');
      }
    },
    {
      name: 'search: hits',
      within: '.jp-Colophon-search',
      open: async page => {
        await runCommand(page, 'colophon:show-search');
        await search(page).fill('xtable');
        await expect(page.locator('.jp-Colophon-entities')).toContainText('xtable');
      }
    },
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
        await expect(page.locator('.jp-Colophon-lineage [data-nodes="3"]')).toBeVisible();
      }
    },
    {
      name: 'schemaspaces',
      within: '#jp-colophon-schemaspaces',
      open: async page => {
        await runCommand(page, 'colophon:show-schemaspaces');
        await expect(page.locator('#jp-colophon-schemaspaces')).toContainText('Xsnippet');
      }
    },
    {
      name: 'instance',
      within: '.jp-Colophon-instance',
      open: async page => {
        await runCommand(page, 'colophon:edit-instance', {
          space: 'code-snippets',
          schema: 'code-snippet',
          name: 'xsnippet'
        });
        await expect(page.locator('.jp-Colophon-instance .cm-content')).toBeVisible();
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

test.beforeEach(async ({ page }) => deleteSnippets(page));
test.afterEach(async ({ page }) => deleteSnippets(page));

test('all panels and pages are accessible in all themes', async ({ page }) => {
  const screens = listScreens(await recordTable(page));
  await openLab(page);
  for (const theme of ['Light', 'Dark', 'Dark High Contrast']) {
    await runCommand(page, 'apputils:change-theme', { theme: `JupyterLab ${theme}` });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-name', `JupyterLab ${theme}`);
    for (const { name, within, open } of screens) {
      await open(page);
      expect.soft(await findViolations(page, `${within}:not(.lm-mod-hidden *)`), `${name}, ${theme}`).toEqual([]);
    }
  }
});

/** Words of names and values, and of times and sizes. Words of the test's own data begin with x. */
const WORDS = ['AM', 'PM', 'MB', 'root', 'spark', 'ipynb', 'notebook', 'default', 'system', 'colophon', 'Python'];

/** Yields the strings and the names of members in a JSON document. */
function* listTexts(value: unknown): Iterable<string> {
  if (typeof value === 'string') {
    yield value;
  } else if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value)) {
      yield* Object.keys(value);
    }
    for (const member of Object.values(value)) {
      yield* listTexts(member);
    }
  }
}

/** Returns the texts of the latest changes, and of what is followed: earlier tests wrote them. */
async function readTextsOfEarlierTests(page: Page): Promise<string[]> {
  const { cursor } = await readApi<{ cursor: number }>(page, 'changes?limit=0');
  const changes = await readApi<object>(page, `changes?after=${Math.max(0, cursor - 400)}&limit=400`);
  const followed = await requestServer(page, 'GET', 'lab/api/settings/jupyter-colophon:followed');
  return [...listTexts([changes, (followed as { settings: object }).settings])];
}

/** Returns the texts that the server gives: titles of schemas and aspects, and metadata of the table and its run. */
async function readData(page: Page, run: string): Promise<string[]> {
  const { aspects } = await readApi<{ aspects: object }>(page, `entities/${encodeURIComponent(TABLE)}`);
  const { facts } = await readApi<{ facts: object }>(page, `runs/${encodeURIComponent(run)}`);
  const paths = ['registry/dataset', 'schemaspaces', 'schemaspaces/code-snippets/schemas/code-snippet'];
  const titles = await Promise.all(paths.map(path => readApi<object>(page, path)));
  // The texts of the example extension, and the members of instances in the list of activities.
  const own = ['Contracts', 'Data under contract', 'Drafts', 'true', 'false', 'file', '$kept', 'display_name'];
  return [...own, ...listTexts([aspects, facts, titles]), ...(await readTextsOfEarlierTests(page))];
}

/** Returns the visible texts and labels that are neither marked nor data. */
async function findUntranslated(page: Page, within: string, data: readonly string[]): Promise<string[]> {
  return page.locator(`${within}:visible`).evaluateAll((roots, [mark, words, texts]) => {
    const found = new Set<string>();
    const known = new Set(texts);
    const isData = (part: string): boolean =>
      known.has(part.trim().replace(/\.$/, '')) ||
      known.has(part.trim()) ||
      (part.replace(/urn:li:\S+/g, '').match(/\p{L}\w+/gu) ?? []).every(
        word => /^x/i.test(word) || words.includes(word)
      );
    const add = (text: string | null, element: Element): void => {
      const isCode = element.closest('code, pre, .cm-editor') !== null;
      if (text !== null && !text.includes(mark) && !isCode && !text.split(/[·›]/).every(isData)) {
        found.add(text.trim());
      }
    };
    for (const root of roots) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        add(node.textContent, node.parentElement!);
      }
      for (const element of root.querySelectorAll('*')) {
        ['aria-label', 'title', 'placeholder', 'alt', 'aria-description'].forEach(name =>
          add(element.getAttribute(name), element)
        );
      }
    }
    return [...found];
  }, [MARK, WORDS, data] as const);
}

test('all texts are translated', async ({ page }) => {
  const run = await recordTable(page);
  const screens = listScreens(run);
  const data = await readData(page, run);
  const prefix = { displayStringsPrefix: true, stringsPrefix: MARK };
  await requestServer(page, 'PUT', LANGUAGE, { raw: JSON.stringify(prefix) });
  const other = await page.context().newPage();
  try {
    await loadLab(other);
    for (const { name, within, open } of screens) {
      await open(other);
      expect.soft(await findUntranslated(other, within, data), name).toEqual([]);
    }
  } finally {
    await requestServer(page, 'PUT', LANGUAGE, { raw: '{}' });
    await other.close();
  }
});
