import { expect, test } from 'vitest';
import { bundleOf, joined, wouldWrite } from '../../src/model/bundle';

const ONE = { name: 'a', display_name: 'A', schema_name: 'code-snippet', metadata: {} };

test('what an export wrote, a list and a single instance can be imported', () => {
  const wanted = { instances: [ONE] };
  expect(bundleOf(JSON.stringify({ schemaspace: 'code-snippets', instances: [ONE] }), 'x.json')).toEqual(wanted);
  expect(bundleOf(JSON.stringify([ONE]), 'x.json')).toEqual(wanted);
  expect(bundleOf(`\uFEFF${JSON.stringify(ONE)}`, 'x.json')).toEqual(wanted);
});

test('a single instance without a name has that of its file; several have to say theirs', () => {
  const { display_name, metadata } = ONE;
  const nameless = { display_name, metadata };
  expect(bundleOf(JSON.stringify(nameless), 'mine.json')).toEqual({ instances: [{ ...nameless, name: 'mine' }] });
  expect(bundleOf(JSON.stringify([nameless, ONE]), 'mine.json')).toBe('nameless');
});

test.each([
  ['{', 'no-json'],
  ['[]', 'no-instances'],
  ['3', 'no-instances'],
  ['{"a": 1}', 'no-instances'],
  ['[1, 2]', 'no-instances']
])('%s cannot be imported: %s', (text, fault) => {
  expect(bundleOf(text, 'x.json')).toBe(fault);
});

test('several files are one import, and what is there counts only if it is replaced', () => {
  const bundle = { instances: [ONE] };
  expect(joined([bundle, bundle]).instances.length).toBe(2);
  const counts = { created: 2, updated: 0, unchanged: 1, conflict: 3, invalid: 1, failed: 0 };
  const report = { dryRun: true, results: [], counts };
  expect([wouldWrite(report, false), wouldWrite(report, true)]).toEqual([2, 5]);
});
