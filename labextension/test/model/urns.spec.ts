import { expect, test } from 'vitest';
import { columnOf, columnUrn, hasLineage, shortUrn } from '../../src/model/urns';
import { cell, column, table } from '../support/server';

const FILE = 'urn:li:dataset:(urn:li:dataPlatform:file,raw/a%2Cb %28old%29.csv,PROD)';

test('the URN of a column tells its table and its name, whatever stands in either', () => {
  expect(columnOf(column('staff', 'name'))).toEqual({ table: table('staff'), path: 'name' });
  const odd = `urn:li:schemaField:(${FILE},[version=2.0].pay %28%2C %25日%29)`;
  expect(columnOf(odd)).toEqual({ table: FILE, path: '[version=2.0].pay (, %日)' });
  expect(columnOf(`urn:li:schemaField:(${FILE},100%)`)?.path).toBe('100%');
  for (const path of ['name', '[version=2.0].pay (, %日)', '100%', 'a\u241fb']) {
    expect(columnOf(columnUrn(FILE, path))).toEqual({ table: FILE, path });
  }
  expect(columnUrn(FILE, '[version=2.0].pay (, %日)')).toBe(odd);
});

test('what is no column has no table', () => {
  expect([table('a'), cell('c'), 'urn:li:schemaField:(a,b)', ''].map(columnOf)).toEqual([null, null, null, null]);
});

test('lineage is that of data and of programs', () => {
  const others = [column('a', 'b'), 'urn:li:namespace:flights', 'urn:li:datasetLike:(a,b,c)'];
  expect([table('a'), cell('c'), FILE, ...others].map(hasLineage)).toEqual([true, true, true, false, false, false]);
});

test('a person recognises a table by its name, and a column by both names', () => {
  expect(shortUrn(table('a'))).toBe('flights.a');
  expect(shortUrn(FILE)).toBe('raw/a,b (old).csv');
  expect(shortUrn(column('staff', 'name'))).toBe('flights.staff.name');
  expect(shortUrn('urn:li:dataProcessInstance:r1')).toBe('r1');
});
