import { expect, test } from 'vitest';
import { shortenName, splitName } from '../../src/lineage/shorten-name';

test.each([
  ['delays-random-train.parquet', 12, 'delays-…train…'],
  ['delays-random-test.parquet', 12, 'delays-…-test…'],
  ['delays-random-train.parquet', 4, '…rain…'],
  ['flights.csv.zip', 10, 'flights.cs…'],
  ['Find the ten worst days', 12, 'Find the ten…'],
  ['→ sales.forecast', 9, '→ sa…ecast'],
  ['customers', 4, 'cust…'],
  ['orders.parquet', 3, 'ord…'],
  ['orders.parquet', 0, '…']
])('%s is shortened to %i letters', (name, count, shortened) => {
  expect(shortenName(name, count)).toBe(shortened);
});

test('the parts of a name are the whole name', () => {
  for (const name of ['', '.csv', 'a.b', '→ 𝒶𝒷𝒸𝒹ℯ𝒻ℊ𝒽𝒾𝒿𝓀.tsv.gz', 'shop.orders_of_all_countries']) {
    expect(Object.values(splitName(name)).join('')).toBe(name);
    expect(shortenName(name, [...name].length)).toBe(name);
  }
});
