import { defineConfig } from '@playwright/test';
import base from './playwright.config';

process.env.JUPYTER_APP = 'notebook';

/** Runs the journey in Notebook 7 (`make long-notebook7`). */
export default defineConfig({ ...base, testDir: 'notebook7' });
