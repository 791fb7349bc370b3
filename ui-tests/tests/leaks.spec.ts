import { expect, test, type CDPSession, type Page } from '@playwright/test';
import { createSnippet, deleteSnippets } from './instances';
import { openLab, runCommand, writeApi } from './lab';

const TIMES = 20;
const TABLE = 'urn:li:dataset:(urn:li:dataPlatform:spark,default.leaks,PROD)';
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),leaks.ipynb)';

/** A tab as the commands return it. */
interface ITab {
  panel: { model: { state: { busy: boolean } } } | null;
  close(): void;
}

/** Opens a page, waits until it is loaded, and closes it, several times. */
async function openAndClose(page: Page, command: string, args: object, times: number): Promise<void> {
  await page.waitForFunction(id => window.jupyterapp.commands.hasCommand(id), command);
  await page.evaluate(
    async ([id, commandArgs, count]) => {
      const nextFrame = (): Promise<unknown> => new Promise(resolve => requestAnimationFrame(resolve));
      for (let time = 0; time < count; time++) {
        const tab = (await window.jupyterapp.commands.execute(id, commandArgs)) as ITab;
        while (tab.panel === null || tab.panel.model.state.busy) {
          await nextFrame();
        }
        await nextFrame();
        tab.close();
        await nextFrame();
      }
    },
    [command, args, times] as const
  );
}

/** Shows panels one after the other with their content, several times; after each turn, collapses both sidebars. */
async function showAndHide(
  page: Page,
  panels: readonly [command: string, content: string][],
  times: number
): Promise<void> {
  await page.evaluate(
    async ([shown, count]) => {
      const nextFrame = (): Promise<unknown> => new Promise(resolve => requestAnimationFrame(resolve));
      for (let time = 0; time < count; time++) {
        for (const [command, content] of shown) {
          await window.jupyterapp.commands.execute(command);
          while ((document.querySelector<HTMLElement>(content)?.offsetParent ?? null) === null) {
            await nextFrame();
          }
          await nextFrame();
        }
        window.jupyterapp.shell.collapseLeft();
        window.jupyterapp.shell.collapseRight();
        await nextFrame();
      }
    },
    [panels, times] as const
  );
}

/** Opens a dialog, waits for its content, and cancels it, several times. */
async function openAndCancel(page: Page, command: string, args: object, content: string, times: number): Promise<void> {
  await page.evaluate(
    async ([id, commandArgs, selector, count]) => {
      const nextFrame = (): Promise<unknown> => new Promise(resolve => requestAnimationFrame(resolve));
      for (let time = 0; time < count; time++) {
        const end = window.jupyterapp.commands.execute(id, commandArgs);
        while (document.querySelector(`.jp-Dialog ${selector}`) === null) {
          await nextFrame();
        }
        document.querySelector<HTMLElement>('.jp-Dialog-button.jp-mod-reject')?.click();
        await end;
        await nextFrame();
      }
    },
    [command, args, content, times] as const
  );
}

interface ICounters {
  nodes: number;
  jsEventListeners: number;
}

/** Counts nodes, also detached ones that are still referenced, and listeners, after a garbage collection. */
async function countLive(page: Page, session: CDPSession): Promise<ICounters> {
  // The browser keeps references to what had the focus or the pointer last.
  await runCommand(page, 'filebrowser:activate');
  await page.mouse.move(2, 2);
  await page.waitForLoadState('networkidle');
  for (let time = 0; time < 3; time++) {
    await session.send('HeapProfiler.collectGarbage');
  }
  return (await session.send('Memory.getDOMCounters')) as ICounters;
}

/** Repeats an action in rounds, and expects that neither nodes nor listeners grow with each of them. */
async function expectNoGrowth(page: Page, name: string, repeat: (times: number) => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await repeat(3);
  const counts = [await countLive(page, session)];
  for (let round = 0; round < 2; round++) {
    await repeat(TIMES);
    counts.push(await countLive(page, session));
  }
  await session.detach();
  // A leak grows in each round; other parts of JupyterLab add listeners once, when they are ready.
  const grow = (counter: keyof ICounters): number =>
    Math.min(counts[1]![counter] - counts[0]![counter], counts[2]![counter] - counts[1]![counter]);
  // A page that stays has hundreds of nodes and dozens of listeners, and a dialog has dozens of nodes.
  expect.soft(grow('nodes'), `nodes after ${name}`).toBeLessThan(TIMES);
  expect.soft(grow('jsEventListeners'), `listeners after ${name}`).toBeLessThan(TIMES);
}

/** Records a table that a run has written; returns the run. */
async function recordTable(page: Page): Promise<string> {
  const start = new Date().toISOString();
  const { urn } = (await writeApi(page, 'POST', 'runs', { program: PROGRAM, runId: 'leaks', start })) as {
    urn: string;
  };
  await writeApi(page, 'POST', `runs/${encodeURIComponent(urn)}/accesses`, {
    accesses: [{ data: TABLE, mode: 'write' }]
  });
  return urn;
}

test('closed pages leave no nodes and no listeners', async ({ page }) => {
  await openLab(page);
  const run = await recordTable(page);
  const pages: [string, object][] = [
    ['colophon:open-entity', { urn: TABLE }],
    ['colophon:open-lineage', { urn: TABLE }],
    ['colophon:open-run', { urn: run }],
    ['colophon:edit-instance', { space: 'code-snippets', schema: 'code-snippet' }],
    ['colophon:show-vocabulary', { tab: 'keys' }],
    ['colophon:edit-entities', { urns: [TABLE] }]
  ];
  for (const [command, args] of pages) {
    await expectNoGrowth(page, command, times => openAndClose(page, command, args, times));
  }
});

test('hidden panels and closed dialogs leave no nodes and no listeners', async ({ page }) => {
  await openLab(page);
  await recordTable(page);
  await deleteSnippets(page);
  await createSnippet(page, 'Leaks');
  await runCommand(page, 'colophon:show-search', { query: 'leaks' });
  const panels: [string, string][] = [
    ['colophon:show-search', '.jp-Colophon-entities li'],
    ['colophon:show-schemaspaces', '#jp-colophon-schemaspaces .jp-Colophon-row'],
    ['colophon:show-activity', '#jp-colophon-activity li']
  ];
  await expectNoGrowth(page, 'the panels', times => showAndHide(page, panels, times));

  const dialogs: [command: string, args: object, content: string][] = [
    ['colophon:pick-entity', {}, '[role=option]'],
    ['colophon:delete-entity', { urn: TABLE }, '.jp-Colophon-deletion p'],
    ['colophon:create-instance', {}, 'select, datalist']
  ];
  for (const [command, args, content] of dialogs) {
    await expectNoGrowth(page, command, times => openAndCancel(page, command, args, content, times));
  }
  await deleteSnippets(page);
});
