import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOKEN = process.env.LAB_TEST_TOKEN ?? '';
const LIGHT_THEME = 'JupyterLab Light';

/** The parts of JupyterLab's application that the tests use (`--LabApp.expose_app_in_browser`). */
interface ILab {
  restored: Promise<void>;
  commands: { execute(id: string, args?: object): Promise<unknown>; hasCommand(id: string): boolean };
  shell: { widgets(area: 'main'): Iterable<{ dispose(): void }>; collapseLeft(): void; collapseRight(): void };
  serviceManager: {
    contents: { rename(from: string, to: string): Promise<unknown> };
    sessions: {
      shutdownAll(): Promise<void>;
      running(): Iterable<{ id: string }>;
      connectTo(options: { model: { id: string } }): {
        kernel: { requestExecute(content: { code: string }): { done: Promise<unknown> } };
      };
    };
  };
}

declare global {
  interface Window {
    jupyterapp: ILab;
  }
}

/**
 * The tests of a file, and of all files that a worker runs, share one page: loading JupyterLab takes seconds, clearing it
 * takes a fraction of one (`openLab`). A failed test ends its worker, and with it the page.
 *
 * A test that changes what the page loads imports `test` of Playwright, or opens another page of the same context.
 */
export const test = base.extend<{ folder: string }, { sharedPage: Page }>({
  sharedPage: [
    async ({ browser }, use, { project }) => {
      const { baseURL, viewport } = project.use;
      const context = await browser.newContext({ baseURL, viewport });
      await use(await context.newPage());
      await context.close();
    },
    { scope: 'worker' }
  ],
  page: async ({ sharedPage }, use, { project }) => {
    await use(sharedPage);
    await sharedPage.unrouteAll({ behavior: 'ignoreErrors' });
    sharedPage.removeAllListeners('dialog');
    await sharedPage.setViewportSize(project.use.viewport!);
  },
  /** An empty folder that the server reads, too: it runs on this machine. */
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  }
});

export { expect };

/**
 * Opens JupyterLab without open documents, on the file browser, in the light theme; a page that shows it already is
 * cleared instead of loaded.
 */
export async function openLab(page: Page): Promise<void> {
  if (page.url().startsWith('http')) {
    await clearLab(page);
  } else {
    await loadLab(page);
  }
}

/**
 * Loads JupyterLab, authenticated by the cookie of the token, as from the URL that the server prints.
 *
 * `base` is the base URL of the server, if it is not the one of the tests. The layout is reset shortly after everything is rendered, and then `reset` is removed from the URL. A reload before
 * that would reset the layout again.
 */
export async function loadLab(page: Page, base = ''): Promise<void> {
  await page.goto(`${base}lab?reset&token=${TOKEN}`);
  await waitForLab(page);
  await page.waitForFunction(() => !new URLSearchParams(window.location.search).has('reset'));
}

/** Closes documents, dialogs, notifications and kernels, and clears the search and the filters of panels. */
async function clearLab(page: Page): Promise<void> {
  await page.evaluate(async theme => {
    const { commands, shell, serviceManager } = window.jupyterapp;
    document.querySelectorAll<HTMLElement>('.jp-Dialog-button.jp-mod-reject').forEach(button => button.click());
    [...shell.widgets('main')].forEach(widget => widget.dispose());
    if (document.body.dataset['jpThemeName'] !== theme) {
      await commands.execute('apputils:change-theme', { theme });
    }
    await commands.execute('apputils:dismiss-notification');
    await serviceManager.sessions.shutdownAll();
    shell.collapseRight();
    document.querySelectorAll<HTMLElement>('.jp-Colophon [aria-pressed="true"]').forEach(button => button.click());
    await commands.execute('filebrowser:activate');
  }, LIGHT_THEME);
  const box = page.locator('.jp-Colophon-searchBody').getByRole('combobox', { name: 'Search metadata' });
  if ((await box.count()) > 0) {
    await box.evaluate(element =>
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    );
  }
}

/** Waits until JupyterLab has restored the layout. */
export async function waitForLab(page: Page): Promise<void> {
  await page.waitForSelector('#jupyterlab-splash', { state: 'detached' });
  // A page beside another one is redirected to a workspace of its own, which ends an evaluation but not this wait.
  await page.waitForFunction(() => window.jupyterapp?.restored.then(() => true));
}

/** Reads what the default workspace stores. */
async function readWorkspace(page: Page): Promise<Record<string, unknown>> {
  const { data } = (await requestServer(page, 'GET', 'lab/api/workspaces/default')) as {
    data: Record<string, unknown>;
  };
  return data;
}

/** Reads the stored layout of the default workspace as text. */
export async function readLayout(page: Page): Promise<string> {
  return JSON.stringify((await readWorkspace(page))['layout-restorer:data'] ?? null);
}

/** Reads the stored arguments of the tabs of the default workspace as text. */
export async function readTabs(page: Page): Promise<string> {
  return JSON.stringify(await readWorkspace(page));
}

/** Runs a command of JupyterLab and waits for its end. */
export async function runCommand(page: Page, command: string, args: object = {}): Promise<void> {
  await page.waitForFunction(id => window.jupyterapp.commands.hasCommand(id), command);
  await page.evaluate(async ([id, commandArgs]) => void (await window.jupyterapp.commands.execute(id, commandArgs)), [
    command,
    args
  ] as const);
}

/** Starts a command that ends when its dialog is closed. */
export async function startCommand(page: Page, command: string, args: object = {}): Promise<void> {
  await page.waitForFunction(id => window.jupyterapp.commands.hasCommand(id), command);
  await page.evaluate(([id, commandArgs]) => void window.jupyterapp.commands.execute(id, commandArgs), [
    command,
    args
  ] as const);
}

/** Waits until the kernel of the open notebook accepts requests. */
export async function waitForKernel(page: Page): Promise<void> {
  await page.waitForFunction(() => [...window.jupyterapp.serviceManager.sessions.running()].length > 0);
  await runInKernel(page, 'pass');
}

/** Runs code in the kernel of the notebook. */
export async function runInKernel(page: Page, code: string): Promise<void> {
  await page.evaluate(async text => {
    const { sessions } = window.jupyterapp.serviceManager;
    const [model] = [...sessions.running()];
    if (model === undefined) {
      throw new Error('no kernel runs');
    }
    await sessions.connectTo({ model }).kernel.requestExecute({ code: text }).done;
  }, code);
}

/** Sends a request with the token of the server, outside JupyterLab; returns the JSON document of the response. */
export async function requestServer(page: Page, method: string, path: string, data?: object): Promise<unknown> {
  const headers = { Authorization: `token ${TOKEN}` };
  const answer = await page.request.fetch(path, { method, headers, ...(data ? { data } : {}) });
  const text = await answer.text();
  expect(answer.ok(), `${method} ${path}: ${answer.status()} ${text}`).toBe(true);
  return text === '' ? null : JSON.parse(text);
}

/** Reads a document from the native API. */
export async function readApi<T>(page: Page, path: string): Promise<T> {
  return (await requestServer(page, 'GET', `colophon/api/${path}`)) as T;
}

/** Writes through the native API. */
export function writeApi(
  page: Page,
  method: 'PUT' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  data?: object
): Promise<unknown> {
  return requestServer(page, method, `colophon/api/${path}`, data);
}

/** Creates or replaces a text file or a notebook, by its path from the root of the server. */
export async function writeFile(page: Page, path: string, content: string | object): Promise<void> {
  const type = typeof content === 'string' ? { type: 'file', format: 'text' } : { type: 'notebook' };
  await requestServer(page, 'PUT', `api/contents/${path}`, { ...type, content });
}

/** Opens a notebook, and waits until its kernel accepts requests. */
export async function openNotebook(page: Page, path: string): Promise<void> {
  await openLab(page);
  await runCommand(page, 'docmanager:open', { path });
  await waitForKernel(page);
}

/** Returns the serious and critical accessibility violations found by axe; with tags, only those of such rules. */
export async function findViolations(page: Page, within: string, tags: string[] = []): Promise<string[]> {
  const axe = new AxeBuilder({ page }).include(within);
  const { violations } = await (tags.length > 0 ? axe.withTags(tags) : axe).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
}

/** Returns the share of the pixels of a canvas that are not empty. */
export async function measureInk(canvas: Locator): Promise<number> {
  return canvas.evaluate(node => {
    const canvasElement = node as HTMLCanvasElement;
    const pixels =
      canvasElement.getContext('2d')?.getImageData(0, 0, canvasElement.width, canvasElement.height).data ??
      new Uint8ClampedArray();
    let inkedPixels = 0;
    for (let index = 3; index < pixels.length; index += 4) {
      inkedPixels += (pixels[index] ?? 0) > 0 ? 1 : 0;
    }
    return (4 * inkedPixels) / Math.max(1, pixels.length);
  });
}
