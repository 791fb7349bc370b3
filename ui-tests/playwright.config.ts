import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

const port = process.env.LAB_TEST_PORT ?? '18888';
const token = 'journey';
// As for a user of JupyterHub; `floor.sh` runs the tests without it.
const base = process.env.LAB_TEST_BASE ?? '/user/ada/';
process.env.LAB_TEST_TOKEN = token;
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browser = process.env.CHROMIUM ?? browsers.find(path => existsSync(path));

/** All tests use one JupyterLab with an empty catalog; authentication and the XSRF check are enabled. */
export default defineConfig({
  testDir: 'tests',
  timeout: 900_000,
  expect: { timeout: 60_000 },
  workers: 1,
  // In continuous integration, a test may be retried once; it is reported as flaky then.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    baseURL: `http://127.0.0.1:${port}${base}`,
    viewport: { width: 1280, height: 800 },
    // Screenshots of a trace cost a screencast of every test.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(browser ? { executablePath: browser } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync'
      ]
    }
  },
  webServer: {
    command: `bash serve.sh ${port} ${token} ${base}`,
    url: `http://127.0.0.1:${port}${base}api`,
    timeout: 300_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 }
  }
});
