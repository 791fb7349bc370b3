import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As a bundler resolves: rjsf's CommonJS builds do not go together with React's.
  resolve: { mainFields: ['module', 'main'] },
  test: {
    include: ['labextension/test/**/*.spec.{ts,tsx}'],
    environment: 'jsdom',
    // JupyterLab's packages and jsdom are loaded once a process, not once a file: setup.ts empties what files share.
    isolate: false,
    unstubGlobals: true,
    // No test asserts a time: this only ends one that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['./labextension/test/setup.ts'],
    // JupyterLab's packages are published for bundlers: vite has to process them.
    server: { deps: { inline: [/@jupyterlab/, /@lumino/, /@jupyter\//, /@rjsf/] } }
  },
  assetsInclude: ['**/*.svg']
});
