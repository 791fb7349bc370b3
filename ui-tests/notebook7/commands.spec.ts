import type { Page } from '@playwright/test';
import { createSnippet } from '../tests/instances';
import { expect, readApi, requestServer, runCommand, test, waitForKernel, writeFile } from '../tests/lab';
import { NOTEBOOK, TABLE, createNotebook, openNotebookPage, recordTable } from './pages';

/** Values of the arguments of commands, by the names in their schemas. */
const ARGUMENTS: Record<string, unknown> = {
  urn: TABLE,
  urns: [TABLE],
  preview: false,
  view: '',
  direction: 'both',
  levels: 1,
  isMenu: false,
  tag: 'walked',
  tab: 'term',
  query: 'orders',
  filters: {},
  library: 'spark',
  path: NOTEBOOK,
  cell: 'load',
  space: 'code-snippets',
  schema: 'code-snippet',
  name: 'walked',
  here: false,
  code: 'walked = True',
  language: 'Python',
  title: 'Walked',
  label: 'sales.orders'
};

/** Commands that save the form that is shown; they are disabled while there is none. */
const SAVE_COMMANDS = ['colophon:save-form', 'colophon:save-instance'];
/** Commands that insert code, for which the page with the list of files has no document. */
const INSERT_COMMANDS = ['colophon:insert-code', 'colophon:insert-load-code', 'colophon:insert-snippet'];

/** The parts of the application that the tests use. */
interface IApplication {
  commands: {
    listCommands(): string[];
    describedBy(id: string): Promise<{ args: { properties?: Record<string, unknown> } | null }>;
    isEnabled(id: string, args: object): boolean;
    isVisible(id: string, args: object): boolean;
    execute(id: string, args?: object): Promise<unknown>;
  };
  shell: {
    collapseLeft(): void;
    collapseRight(): void;
    currentWidget: { currentIndex?: number; content?: INotebook } | null;
  };
}

interface INotebook {
  activeCellIndex: number;
  widgets?: { model: { sharedModel: { getSource(): string } } }[];
}

/** Returns the commands of this extension with values for the arguments in their schemas. */
async function listCommands(page: Page, run: string): Promise<[id: string, args: object][]> {
  const described = await page.evaluate(async () => {
    const { commands } = window.jupyterapp as unknown as IApplication;
    const ids = commands.listCommands().filter(id => id.startsWith('colophon:'));
    return Promise.all(
      ids.map(async id => [id, Object.keys((await commands.describedBy(id)).args?.properties ?? {})] as const)
    );
  });
  const values = { ...ARGUMENTS, run };
  return described.map(([id, names]) => {
    expect(
      names.filter(name => !(name in values)),
      `arguments of ${id} without a value in this test`
    ).toEqual([]);
    const args = Object.fromEntries(names.map(name => [name, values[name as keyof typeof values]]));
    return [id, id === 'colophon:open-run' ? { ...args, urn: run } : args];
  });
}

/** Hides everything that a command may have shown. */
async function hideAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { shell, commands } = window.jupyterapp as unknown as IApplication;
    document.querySelectorAll<HTMLElement>('.jp-Dialog-button.jp-mod-reject').forEach(button => button.click());
    shell.collapseLeft();
    shell.collapseRight();
    const { currentWidget } = shell;
    if (currentWidget?.currentIndex !== undefined) {
      currentWidget.currentIndex = 0;
    }
    if (currentWidget?.content) {
      currentWidget.content.activeCellIndex = 0;
    }
    await commands.execute('apputils:dismiss-notification');
  });
  await expect(page.locator('.jp-Dialog, .Toastify__toast, .jp-Colophon[role=region]:visible')).toHaveCount(0);
}

/** Describes what a user sees of this extension: dialogs, notifications, panels and pages, the cells, and what is followed. */
async function describeView(page: Page): Promise<string> {
  const shown = await page.evaluate(() => {
    const { currentWidget } = (window.jupyterapp as unknown as IApplication).shell;
    const listTexts = (selector: string): (string | null)[] =>
      [...document.querySelectorAll<HTMLElement>(selector)]
        .filter(element => element.offsetParent !== null || element.matches('.jp-Dialog'))
        .map(element => element.getAttribute('aria-label') ?? element.textContent);
    const cells = currentWidget?.content?.widgets?.map(({ model }) => model.sharedModel.getSource());
    return {
      shown: listTexts('.jp-Dialog, .Toastify__toast, .jp-Colophon[role=region]'),
      cells,
      active: currentWidget?.content?.activeCellIndex
    };
  });
  return JSON.stringify([shown, await requestServer(page, 'GET', 'lab/api/settings/jupyter-colophon:followed')]);
}

/** Creates the snippet of the arguments, unless it exists. */
async function ensureSnippet(page: Page): Promise<void> {
  const { instances } = await readApi<{ instances: { name: string }[] }>(page, 'schemaspaces/code-snippets/instances');
  if (!instances.some(({ name }) => name === ARGUMENTS.name)) {
    await createSnippet(page, 'Walked');
  }
}

/** Runs a command, and waits until its effect is seen: in the page, or as a download, a file dialog or another page. */
async function expectEffect(page: Page, id: string, args: object): Promise<void> {
  await hideAll(page);
  const before = await describeView(page);
  const outside: string[] = [];
  const onPage = (other: Page): void => {
    outside.push(other.url());
    void other.close();
  };
  const onDownload = (): void => void outside.push('download');
  const onFileChooser = (): void => void outside.push('file chooser');
  page.context().on('page', onPage);
  page.on('download', onDownload);
  page.on('filechooser', onFileChooser);
  // Commands with a dialog end with it.
  await page.evaluate(
    ([command, commandArgs]) => {
      void (window.jupyterapp as unknown as IApplication).commands.execute(command, commandArgs);
    },
    [id, args] as const
  );
  await expect
    .poll(async () => outside.length > 0 || (await describeView(page)) !== before, {
      message: `effect of ${id} with ${JSON.stringify(args)}`,
      timeout: 20_000
    })
    .toBe(true);
  await expect(page.locator('.Toastify__toast--error'), `error of ${id} with ${JSON.stringify(args)}`).toHaveCount(0);
  page.context().off('page', onPage);
  page.off('download', onDownload);
  page.off('filechooser', onFileChooser);
}

/** Runs all commands that are enabled and visible, with and without arguments; returns those that never are. */
async function runAllCommands(page: Page, run: string): Promise<string[]> {
  const unavailable: string[] = [];
  const commands = await listCommands(page, run);
  expect(commands.length).toBeGreaterThan(30);
  for (const [id, sample] of commands) {
    await ensureSnippet(page);
    await hideAll(page);
    let available = false;
    for (const args of Object.keys(sample).length > 0 ? [{}, sample] : [{}]) {
      const isAvailable = await page.evaluate(
        ([command, commandArgs]) => {
          const registry = (window.jupyterapp as unknown as IApplication).commands;
          return registry.isEnabled(command, commandArgs) && registry.isVisible(command, commandArgs);
        },
        [id, args] as const
      );
      if (isAvailable) {
        available = true;
        await expectEffect(page, id, args);
      }
    }
    if (!available) {
      unavailable.push(id);
    }
  }
  await hideAll(page);
  return unavailable.sort();
}

test('beside the list of files, every command has an effect or is not available', async ({ page }) => {
  const run = await recordTable(page);
  await writeFile(page, NOTEBOOK, createNotebook());
  await openNotebookPage(page, 'tree');
  expect(await runAllCommands(page, run)).toEqual([...INSERT_COMMANDS, ...SAVE_COMMANDS]);

  await test.step('the commands that save are available for the form that is shown', async () => {
    await runCommand(page, 'colophon:edit-instance', {
      space: 'code-snippets',
      schema: 'code-snippet',
      name: 'walked'
    });
    const form = page.locator('.jp-Colophon-instance:visible');
    await form.getByLabel('Description').fill('saved by a command');
    await runCommand(page, 'colophon:save-instance');
    await expect(form.getByText('All changes saved.')).toBeVisible();
  });
});

test('beside a notebook, every command has an effect or is not available', async ({ page }) => {
  const run = await recordTable(page);
  await writeFile(page, NOTEBOOK, createNotebook());
  await openNotebookPage(page, `notebooks/${NOTEBOOK}`);
  await waitForKernel(page);
  expect(await runAllCommands(page, run)).toEqual(SAVE_COMMANDS);
});
