// Bundle the panels of the applications that the package contains. Each is one web module beside the application's code.
import { build } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const sources = join(root, 'labextension', 'apps');

for (const app of readdirSync(sources)) {
  const panel = join(sources, app, 'panel.tsx');
  if (existsSync(panel)) {
    await build({
      entryPoints: [panel],
      outfile: join(root, 'server_ext', 'jupyter_colophon', 'apps', app, 'web', 'panel.js'),
      bundle: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      legalComments: 'eof',
      loader: { '.css': 'text' },
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'warning'
    });
  }
}
