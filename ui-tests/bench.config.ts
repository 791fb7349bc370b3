import { defineConfig } from '@playwright/test';
import base from './playwright.config';

// A million entities, by `bench/stores.py`.
process.env.CATALOG = '../build/bench/filled1000000.db';

/** Measures the frontend and prints the figures (`make bench-ui`); it asserts no time. */
export default defineConfig({ ...base, testDir: 'bench', retries: 0 });
