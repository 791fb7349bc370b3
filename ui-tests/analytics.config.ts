import { defineConfig } from '@playwright/test';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import base from './playwright.config';

process.env.SHIPPED_APP = 'analytics';
process.env.SPARK_CONF_DIR = resolve('analytics');
// The server and the tests share the folder: the processes of the tests get it from this one.
process.env.COLOPHON_DATAPREP_FOLDERS ??= realpathSync(mkdtempSync(join(tmpdir(), 'colophon-')));

/** Trains models in the browser, on Spark (`make long-analytics`). */
export default defineConfig({ ...base, testDir: 'analytics', expect: { timeout: 120_000 } });
