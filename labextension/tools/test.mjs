// Run vitest, and print a last line that scripts can parse: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'colophon-vitest-'));
const report = join(folder, 'report.json');
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

const result = spawnSync(
  process.execPath,
  [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  { stdio: 'inherit' }
);

let passed = 0;
let failed = 0;
let complete = false;
try {
  const answer = JSON.parse(readFileSync(report, 'utf8'));
  passed = answer.numPassedTests;
  // A file that cannot be loaded has no failed tests, but has failed.
  const broken = answer.testResults.filter(file => file.status === 'failed' && file.assertionResults.length === 0);
  failed = answer.numFailedTests + broken.length;
  complete = true;
} catch {
  console.error('vitest wrote no report');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(result.status === 0 && complete && failed === 0 && passed > 0 ? 0 : 1);
