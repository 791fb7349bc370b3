import { expect, test, type Response } from '@playwright/test';
import { gzipSync } from 'node:zlib';
import { openLab, runCommand } from './lab';

const LIMIT = 60_000;

test('a start of JupyterLab loads no panel', async ({ page }, info) => {
  const responses: Response[] = [];
  page.on('response', response => {
    if (response.url().includes('/extensions/jupyter-colophon/static/')) {
      responses.push(response);
    }
  });
  await openLab(page);
  await page.waitForLoadState('networkidle');
  const atStart = responses.length;
  const bodies = await Promise.all(responses.map(response => response.body()));
  const size = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
  info.annotations.push({ type: 'gzip', description: `${size} bytes in ${atStart} files` });
  console.log(`before a panel is opened: ${(size / 1000).toFixed(1)} kB gzip in ${atStart} files`);
  expect(size).toBeLessThanOrEqual(LIMIT);

  await runCommand(page, 'colophon:show-search');
  await expect(page.getByLabel('Search metadata')).toBeFocused();
  expect(responses.length).toBeGreaterThan(atStart);
});

test('a panel that cannot be loaded can be tried again', async ({ page }) => {
  await openLab(page);
  await page.waitForLoadState('networkidle');
  const chunks = '**/extensions/jupyter-colophon/static/*';
  await page.route(chunks, route => route.abort());
  await runCommand(page, 'colophon:show-search');
  const failure = page.getByRole('alert').filter({ hasText: 'This panel could not be loaded' });
  await expect(failure).toBeVisible();
  await page.unroute(chunks);
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('Search metadata')).toBeVisible();
});
