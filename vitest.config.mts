import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As a bundler resolves: rjsf's CommonJS builds do not go together with React's.
  resolve: { mainFields: ['module', 'main'] },
  test: {
    include: ['labextension/test/**/*.spec.{ts,tsx}'],
    environment: 'jsdom',
    setupFiles: ['./labextension/test/setup.ts'],
    // JupyterLab's packages are published for bundlers: vite has to process them.
    server: { deps: { inline: [/@jupyterlab/, /@lumino/, /@jupyter\//, /@rjsf/] } }
  },
  assetsInclude: ['**/*.svg']
});
