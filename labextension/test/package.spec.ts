import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const NODE_MODULES = join(ROOT, 'node_modules');
const folder = mkdtempSync(join(tmpdir(), 'colophon-package-'));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, ...parameters: string[]): string {
  try {
    return execFileSync(command, parameters, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  } catch (reason) {
    const { stdout, stderr } = reason as { stdout: string; stderr: string };
    throw new Error(`${command}: ${stdout}${stderr}`);
  }
}

/** Links the packages that the repository has installed. */
function linkPackages(to: string): void {
  mkdirSync(to, { recursive: true });
  readdirSync(NODE_MODULES).forEach(name => symlinkSync(join(NODE_MODULES, name), join(to, name)));
}

test('an extension is compiled against the published package', () => {
  const example = join(folder, 'acme-contracts');
  cpSync(join(ROOT, 'examples/acme-contracts'), example, { recursive: true });
  linkPackages(join(folder, 'node_modules'));
  const [archive] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder)) as {
    filename: string;
    files: { path: string }[];
  }[];
  const unpacked = join(folder, 'node_modules/jupyter-colophon');
  mkdirSync(unpacked);
  run('tar', '-xzf', join(folder, archive!.filename), '--strip-components=1', '-C', unpacked);

  run(process.execPath, join(NODE_MODULES, 'typescript/bin/tsc'), '-p', example, '--noEmit');
  const folders = new Set(archive!.files.map(({ path }) => path.split('/').slice(0, 2).join('/')));
  expect(folders).toEqual(
    new Set(['LICENSE', 'README.md', 'package.json', 'labextension/lib', 'labextension/schema', 'labextension/style'])
  );
});
