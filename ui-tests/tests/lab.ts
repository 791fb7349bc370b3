import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';

const TOKEN = process.env.LAB_TEST_TOKEN ?? '';

/** The parts of JupyterLab's application that the tests use (`--LabApp.expose_app_in_browser`). */
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
 * Opens JupyterLab at a path, authenticated by the cookie of the token, as from the URL that the server prints.
 *
 * The layout is reset shortly after everything is rendered, and then `reset` is removed from the URL. A reload before
 * that would reset the layout again.
 */
export async function openLab(page: Page, path = 'lab'): Promise<void> {
  await page.goto(`/${path}?reset&token=${TOKEN}`);
  await waitForLab(page);
  await page.waitForFunction(() => !new URLSearchParams(window.location.search).has('reset'));
}

/** Waits until JupyterLab has restored the layout. */
export async function waitForLab(page: Page): Promise<void> {
  await page.waitForSelector('#jupyterlab-splash', { state: 'detached' });
  await page.waitForFunction(() => window.jupyterapp !== undefined);
  await page.evaluate(() => window.jupyterapp.restored);
}

/** Reads the stored layout of the default workspace as text. */
export async function readLayout(page: Page): Promise<string> {
  const answer = await page.request.get('/lab/api/workspaces/default', {
    headers: { Authorization: `token ${TOKEN}` }
  });
  expect(answer.status()).toBe(200);
  const { data } = (await answer.json()) as { data: Record<string, unknown> };
  return JSON.stringify(data['layout-restorer:data'] ?? null);
}

/** Runs a command of JupyterLab and waits for its end. */
export async function runCommand(page: Page, command: string, args: object = {}): Promise<void> {
  await page.waitForFunction(id => window.jupyterapp.commands.hasCommand(id), command);
  await page.evaluate(async ([id, commandArgs]) => void (await window.jupyterapp.commands.execute(id, commandArgs)), [
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

/** Reads a document from the native API with the token of the server. */
export async function readApi<T>(page: Page, path: string): Promise<T> {
  const answer = await page.request.get(`/colophon/api/${path}`, { headers: { Authorization: `token ${TOKEN}` } });
  expect(answer.status(), path).toBe(200);
  return (await answer.json()) as T;
}

/** Returns the serious and critical accessibility violations found by axe. */
export async function findViolations(page: Page, within: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
}

/** Returns the share of the pixels of a canvas that are not empty. */
export async function measureInk(canvas: Locator): Promise<number> {
  return canvas.evaluate(node => {
    const canvasElement = node as HTMLCanvasElement;
    const pixels =
      canvasElement.getContext('2d')?.getImageData(0, 0, canvasElement.width, canvasElement.height).data ?? new Uint8ClampedArray();
    let inkedPixels = 0;
    for (let index = 3; index < pixels.length; index += 4) {
      inkedPixels += (pixels[index] ?? 0) > 0 ? 1 : 0;
    }
    return (4 * inkedPixels) / Math.max(1, pixels.length);
  });
}

/** Writes through the native API, outside the browser. */
export async function writeApi(page: Page, method: 'PUT' | 'POST' | 'PATCH', path: string, data: object): Promise<unknown> {
  const headers = { Authorization: `token ${TOKEN}` };
  const answer = await page.request.fetch(`/colophon/api/${path}`, { method, data, headers });
  expect(answer.status(), await answer.text()).toBe(200);
  return answer.json();
}
