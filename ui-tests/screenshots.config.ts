import { defineConfig } from '@playwright/test';
import base from './playwright.config';

process.env.DEMO = '1';

/** Takes the screenshots of the documentation (`make screenshots`): docs/images/NAME-{light,dark}.png. */
export default defineConfig({ ...base, testDir: 'screenshots', retries: 0 });
