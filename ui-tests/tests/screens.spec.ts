import type { Page } from '@playwright/test';
import { deleteSnippets } from './instances';
import { expect, findViolations, loadLab, openLab, readApi, requestServer, runCommand, test } from './lab';
import { listScreens, MARK, recordContent, TABLE } from './screens';

const LANGUAGE = 'lab/api/settings/@jupyterlab/translation-extension:plugin';

test.beforeEach(async ({ page }) => deleteSnippets(page));
test.afterEach(async ({ page }) => deleteSnippets(page));

test('all panels, pages and dialogs are accessible in all themes', async ({ page }) => {
  const screens = listScreens(await recordContent(page));
  await openLab(page);
  for (const theme of ['Light', 'Dark', 'Dark High Contrast']) {
    await runCommand(page, 'apputils:change-theme', { theme: `JupyterLab ${theme}` });
    await expect(page.locator('body')).toHaveAttribute('data-jp-theme-name', `JupyterLab ${theme}`);
    // What else axe checks does not depend on the theme.
    const tags = theme === 'Light' ? [] : ['cat.color'];
    for (const { name, within, open, close } of screens.filter(({ isPlain }) => theme === 'Light' || !isPlain)) {
      await open(page);
      expect.soft(await findViolations(page, `${within}:not(.lm-mod-hidden *)`, tags), `${name}, ${theme}`).toEqual([]);
      await close?.(page);
    }
  }
});

/** Words of names and values, of actors, and of times and sizes. Words of the test's own data begin with x. */
const WORDS = ['AM', 'PM', 'MB', 'root', 'outside', 'spark', 'ipynb', 'notebook', 'default', 'system', 'colophon', 'Python'];

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

/** Returns the keys, the tags, the terms, the texts of the latest changes, and what is followed: of earlier tests. */
async function readTextsOfEarlierTests(page: Page): Promise<string[]> {
  const { cursor } = await readApi<{ cursor: number }>(page, 'changes?limit=0');
  const changes = await readApi<object>(page, `changes?after=${Math.max(0, cursor - 400)}&limit=400`);
  const paths = ['erasures', 'keys', 'keys/tags/values', 'search?q=*&type=glossaryTerm&limit=100'];
  const lists = await Promise.all(paths.map(path => readApi<object>(page, path)));
  const followed = await requestServer(page, 'GET', 'lab/api/settings/jupyter-colophon:followed');
  return [...listTexts([lists, changes, (followed as { settings: object }).settings])];
}

/** Returns the texts that the server gives: titles of schemas and aspects, and metadata of the table and its run. */
async function readData(page: Page, run: string): Promise<string[]> {
  const { aspects } = await readApi<{ aspects: object }>(page, `entities/${encodeURIComponent(TABLE)}`);
  const { facts } = await readApi<{ facts: object }>(page, `runs/${encodeURIComponent(run)}`);
  const paths = [
    'registry',
    'registry/dataset',
    'registry/accessPolicy',
    'schemaspaces',
    'schemaspaces/code-snippets/schemas/code-snippet',
    'schemaspaces/pipelines/schemas/pipeline',
    'pipelines/plugins'
  ];
  const titles = await Promise.all(paths.map(path => readApi<object>(page, path)));
  // The texts of the example extension, and the members of instances in the list of activities.
  const own = ['Contracts', 'Data under contract', 'Drafts', 'true', 'false', 'file', '$kept', 'display_name'];
  // The rules of a policy, and a name in them that nothing has.
  own.push('Rules 1', 'Rules 2', 'group:xgroup', "there is no namespace 'xspace': this rule matches nothing by it");
  // The application of the example, its panel and its table.
  own.push('bookmarks', 'Bookmarks', 'app_bookmarks_bookmarks');
  // The application reports of the package, its panel and its tables.
  own.push('reports', 'Reports');
  const tables = ['definitions', 'progress', 'reports', 'results', 'runs', 'summaries'];
  own.push(tables.map(name => `app_reports_${name}`).join(', '));
  // The application dataprep of the package, and the results of its test.
  own.push('dataprep', 'Prepare data', 'out', 'out-rejected');
  own.push('app_dataprep_connections, app_dataprep_recipes, app_dataprep_samples, app_dataprep_workspaces');
  // The scopes of a service token, a query, the folder of a notebook of an earlier test, and an error of the server.
  own.push('annotate, read', 'tags:xtag', 'etl', '"path" is a required property');
  return [...own, ...listTexts([aspects, facts, titles]), ...(await readTextsOfEarlierTests(page))];
}

/** Returns the visible texts and labels that are neither marked nor data. */
async function findUntranslated(page: Page, within: string, data: readonly string[]): Promise<string[]> {
  return page.locator(`${within}:visible`).evaluateAll(
    (roots, [mark, words, texts]) => {
      const found = new Set<string>();
      const known = new Set(texts);
      const isData = (part: string): boolean =>
        known.has(part.trim().replace(/\.$/, '')) ||
        known.has(part.trim()) ||
        // The file of a notebook, what a cell without a name writes, a column with its table, and a folder of a test.
        /^\S+\/colophon-test-\w+$|^\S+\.ipynb$|^→ \S+$|^\w+(\.\w+)+$/.test(part.trim()) ||
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
          // A name that may break within a line is one text.
          const parent = node.parentElement!;
          add((parent.querySelector(':scope > wbr') === null ? node : parent).textContent, parent);
        }
        for (const element of root.querySelectorAll('*')) {
          ['aria-label', 'title', 'placeholder', 'alt', 'aria-description'].forEach(name =>
            add(element.getAttribute(name), element)
          );
        }
      }
      return [...found];
    },
    [MARK, WORDS, data] as const
  );
}

test('all texts are translated', async ({ page }) => {
  const run = await recordContent(page);
  const screens = listScreens(run);
  const data = await readData(page, run);
  const prefix = { displayStringsPrefix: true, stringsPrefix: MARK };
  await requestServer(page, 'PUT', LANGUAGE, { raw: JSON.stringify(prefix) });
  const other = await page.context().newPage();
  try {
    await loadLab(other);
    for (const { name, within, open, close } of screens) {
      await open(other);
      expect.soft(await findUntranslated(other, within, data), name).toEqual([]);
      await close?.(other);
    }
  } finally {
    await requestServer(page, 'PUT', LANGUAGE, { raw: '{}' });
    await other.close();
  }
});
