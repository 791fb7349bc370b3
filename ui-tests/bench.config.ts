import { defineConfig } from '@playwright/test';
import base from './playwright.config';

/** Measures the frontend and prints the figures (`make bench-ui`); it asserts no time. */
export default defineConfig({ ...base, testDir: 'bench', retries: 0 });
