import { expect, test, type CDPSession, type Page } from '@playwright/test';
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

test('closed pages leave no nodes and no listeners', async ({ page }) => {
  await openLab(page);
  const start = new Date().toISOString();
  const { urn: run } = (await writeApi(page, 'POST', 'runs', { program: PROGRAM, runId: 'leaks', start })) as {
    urn: string;
  };
  await writeApi(page, 'POST', `runs/${encodeURIComponent(run)}/accesses`, { accesses: [{ data: TABLE, mode: 'write' }] });
  const pages: [string, object][] = [
    ['colophon:open-entity', { urn: TABLE }],
    ['colophon:open-lineage', { urn: TABLE }],
    ['colophon:open-run', { urn: run }],
    ['colophon:edit-instance', { space: 'code-snippets', schema: 'code-snippet' }]
  ];
  const session = await page.context().newCDPSession(page);
  for (const [command, args] of pages) {
    await openAndClose(page, command, args, 3);
    const counts = [await countLive(page, session)];
    for (let round = 0; round < 2; round++) {
      await openAndClose(page, command, args, TIMES);
      counts.push(await countLive(page, session));
    }
    // A leak grows in each round; other parts of JupyterLab add listeners once, when they are ready.
    const grow = (name: keyof ICounters): number =>
      Math.min(counts[1]![name] - counts[0]![name], counts[2]![name] - counts[1]![name]);
    // A page that stays has hundreds of nodes and dozens of listeners.
    expect.soft(grow('nodes'), `nodes after ${command}`).toBeLessThan(TIMES);
    expect.soft(grow('jsEventListeners'), `listeners after ${command}`).toBeLessThan(TIMES);
  }
});
