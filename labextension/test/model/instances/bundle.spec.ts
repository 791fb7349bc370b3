import { expect, test } from 'vitest';
import { parseBundle, mergeBundles, countWrites } from '../../../src/model/instances/bundle';

const ONE = { name: 'a', display_name: 'A', schema_name: 'code-snippet', metadata: {} };

test('exports, lists and single instances are parsed', () => {
  const expected = { instances: [ONE] };
  expect(parseBundle(JSON.stringify({ schemaspace: 'code-snippets', instances: [ONE] }), 'x.json')).toEqual(expected);
  expect(parseBundle(JSON.stringify([ONE]), 'x.json')).toEqual(expected);
  expect(parseBundle(`\uFEFF${JSON.stringify(ONE)}`, 'x.json')).toEqual(expected);
});

test('only a single instance may have no name', () => {
  const { display_name, metadata } = ONE;
  const nameless = { display_name, metadata };
  expect(parseBundle(JSON.stringify(nameless), 'mine.json')).toEqual({ instances: [{ ...nameless, name: 'mine' }] });
  expect(parseBundle(JSON.stringify([nameless, ONE]), 'mine.json')).toBe('nameless');
});

test.each([
  ['{', 'no-json'],
  ['[]', 'no-instances'],
  ['3', 'no-instances'],
  ['{"a": 1}', 'no-instances'],
  ['[1, 2]', 'no-instances']
])('%s cannot be imported: %s', (text, fault) => {
  expect(parseBundle(text, 'x.json')).toBe(fault);
});

test('files are merged and writes counted', () => {
  const bundle = { instances: [ONE] };
  expect(mergeBundles([bundle, bundle]).instances.length).toBe(2);
  const counts = { created: 2, updated: 0, unchanged: 1, conflict: 3, invalid: 1, failed: 0 };
  const report = { dryRun: true, results: [], counts };
  expect([countWrites(report, false), countWrites(report, true)]).toEqual([2, 5]);
});
