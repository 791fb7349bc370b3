import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';

const TOKEN = process.env.LAB_TEST_TOKEN ?? '';

/** The part of JupyterLab's application that the journeys use (`--LabApp.expose_app_in_browser`). */
interface ILab {
  restored: Promise<void>;
  commands: { execute(id: string, args?: object): Promise<unknown>; hasCommand(id: string): boolean };
  serviceManager: {
    sessions: {
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
 * Opens JupyterLab at a path, signed in by the token's cookie, as from the URL that the server prints.
 *
 * The layout is reset a moment after everything is drawn. Only then the word leaves the address: until then a reload
 * would reset again what was opened meanwhile.
 */
export async function openLab(page: Page, path = 'lab'): Promise<void> {
  await page.goto(`/${path}?reset&token=${TOKEN}`);
  await labReady(page);
  await page.waitForFunction(() => !new URLSearchParams(window.location.search).has('reset'));
}

/** Waits until JupyterLab is there with the layout that it remembers. */
export async function labReady(page: Page): Promise<void> {
  await page.waitForSelector('#jupyterlab-splash', { state: 'detached' });
  await page.waitForFunction(() => window.jupyterapp !== undefined);
  await page.evaluate(() => window.jupyterapp.restored);
}

/** The layout of the default workspace as the server keeps it, as text. */
export async function rememberedLayout(page: Page): Promise<string> {
  const answer = await page.request.get('/lab/api/workspaces/default', {
    headers: { Authorization: `token ${TOKEN}` }
  });
  expect(answer.status()).toBe(200);
  const { data } = (await answer.json()) as { data: Record<string, unknown> };
  return JSON.stringify(data['layout-restorer:data'] ?? null);
}

/** Runs one of JupyterLab's commands and waits until it is done. */
export async function run(page: Page, command: string, args: object = {}): Promise<void> {
  await page.waitForFunction(id => window.jupyterapp.commands.hasCommand(id), command);
  await page.evaluate(async ([id, given]) => void (await window.jupyterapp.commands.execute(id, given)), [
    command,
    args
  ] as const);
}

/** Waits until the open notebook has a kernel that listens: what is run before that is run by nobody. */
export async function kernelReady(page: Page): Promise<void> {
  await page.waitForFunction(() => [...window.jupyterapp.serviceManager.sessions.running()].length > 0);
  await inKernel(page, 'pass');
}

/** Runs code in the notebook's kernel, as another cell of somebody's would. */
export async function inKernel(page: Page, code: string): Promise<void> {
  await page.evaluate(async text => {
    const { sessions } = window.jupyterapp.serviceManager;
    const [model] = [...sessions.running()];
    if (model === undefined) {
      throw new Error('no kernel runs');
    }
    await sessions.connectTo({ model }).kernel.requestExecute({ code: text }).done;
  }, code);
}

/** Asks the native API for a document, with the server's token. */
export async function ask<T>(page: Page, path: string): Promise<T> {
  const answer = await page.request.get(`/colophon/api/${path}`, { headers: { Authorization: `token ${TOKEN}` } });
  expect(answer.status(), path).toBe(200);
  return (await answer.json()) as T;
}

/** What axe finds that keeps people out; less is no failure. */
export async function barriers(page: Page, within: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
}

/** The share of a canvas's pixels that are not empty. */
export async function ink(canvas: Locator): Promise<number> {
  return canvas.evaluate(node => {
    const drawn = node as HTMLCanvasElement;
    const pixels =
      drawn.getContext('2d')?.getImageData(0, 0, drawn.width, drawn.height).data ?? new Uint8ClampedArray();
    let inked = 0;
    for (let at = 3; at < pixels.length; at += 4) {
      inked += (pixels[at] ?? 0) > 0 ? 1 : 0;
    }
    return (4 * inked) / Math.max(1, pixels.length);
  });
}

/** Writes through the native API, as somebody else would. */
export async function tell(page: Page, method: 'PUT' | 'POST' | 'PATCH', path: string, data: object): Promise<unknown> {
  const headers = { Authorization: `token ${TOKEN}` };
  const answer = await page.request.fetch(`/colophon/api/${path}`, { method, data, headers });
  expect(answer.status(), await answer.text()).toBe(200);
  return answer.json();
}
