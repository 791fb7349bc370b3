import { test, type Browser } from '@playwright/test';
import { loadLab } from '../tests/lab';

const ROUNDS = 10;
const NAME = 'jupyter-colophon';

/** Loads JupyterLab in an empty context, with or without the extension; returns the milliseconds until it is restored. */
async function measureStart(
  browser: Browser,
  options: { baseURL: string | undefined; withExtension: boolean }
): Promise<number> {
  const context = await browser.newContext({ ...(options.baseURL === undefined ? {} : { baseURL: options.baseURL }) });
  const page = await context.newPage();
  if (!options.withExtension) {
    await page.route('**/lab?*', async route => {
      const response = await route.fetch();
      const config = /(<script id="jupyter-config-data" type="application\/json">)([^]*?)(<\/script>)/;
      const body = (await response.text()).replace(config, (_, start: string, json: string, end: string) => {
        const page = JSON.parse(json) as { federated_extensions: { name: string }[] };
        page.federated_extensions = page.federated_extensions.filter(({ name }) => name !== NAME);
        return start + JSON.stringify(page) + end;
      });
      await route.fulfill({ response, body });
    });
  }
  const start = Date.now();
  await loadLab(page);
  const time = Date.now() - start;
  const loaded = await page.evaluate(name => document.querySelector(`script[src*="${name}"]`) !== null, NAME);
  test.expect(loaded).toBe(options.withExtension);
  await context.close();
  return time;
}

test('figures of the start of JupyterLab', async ({ browser }, { project }) => {
  const { baseURL } = project.use;
  const times = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await measureStart(browser, { baseURL, withExtension: false });
    const withExtension = await measureStart(browser, { baseURL, withExtension: true });
    // The first round fills caches.
    if (round > 0) {
      times.without.push(without);
      times.with.push(withExtension);
    }
  }
  const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const difference = median(times.with.map((time, index) => time - times.without[index]!));
  console.table([
    {
      'without the extension (ms, p50)': median(times.without),
      'with it (ms, p50)': median(times.with),
      'difference of pairs (ms, p50)': difference
    }
  ]);
});
