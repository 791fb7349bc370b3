import { expect, test } from 'vitest';
import {
  parseColumnUrn,
  createColumnUrn,
  hasLineage,
  parseNotebookUrn,
  describeUrn,
  shortenUrn
} from '../../src/model/urns';
import { cell, column, table } from '../support/server';

const FILE = 'urn:li:dataset:(urn:li:dataPlatform:file,raw/a%2Cb %28old%29.csv,PROD)';

test('column URNs are parsed and created', () => {
  expect(parseColumnUrn(column('staff', 'name'))).toEqual({ table: table('staff'), path: 'name' });
  const odd = `urn:li:schemaField:(${FILE},[version=2.0].pay %28%2C %25日%29)`;
  expect(parseColumnUrn(odd)).toEqual({ table: FILE, path: '[version=2.0].pay (, %日)' });
  expect(parseColumnUrn(`urn:li:schemaField:(${FILE},100%)`)?.path).toBe('100%');
  for (const path of ['name', '[version=2.0].pay (, %日)', '100%', 'a\u241fb']) {
    expect(parseColumnUrn(createColumnUrn(FILE, path))).toEqual({ table: FILE, path });
  }
  expect(createColumnUrn(FILE, '[version=2.0].pay (, %日)')).toBe(odd);
});

test('other URNs are not column URNs', () => {
  expect([table('a'), cell('c'), 'urn:li:schemaField:(a,b)', ''].map(parseColumnUrn)).toEqual([null, null, null, null]);
});

test('datasets and programs have lineage', () => {
  const others = [column('a', 'b'), 'urn:li:namespace:flights', 'urn:li:datasetLike:(a,b,c)'];
  expect([table('a'), cell('c'), FILE, ...others].map(hasLineage)).toEqual([true, true, true, false, false, false]);
});

test('URNs are shortened to readable names', () => {
  expect(shortenUrn(table('a'))).toBe('flights.a');
  expect(shortenUrn(FILE)).toBe('raw/a,b (old).csv');
  expect(shortenUrn(column('staff', 'name'))).toBe('flights.staff.name');
  expect(shortenUrn('urn:li:dataProcessInstance:r1')).toBe('r1');
  expect(shortenUrn('urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.a/b.ipynb#c1)')).toBe(
    'a/b.ipynb#c1'
  );
});

test('notebooks and their cells are parsed', () => {
  expect(parseNotebookUrn(cell('b1'))).toEqual({ path: 'flights.ipynb', cell: 'b1' });
  const flow = 'urn:li:dataFlow:(colophon,notebook,sales)';
  const notebook = `urn:li:dataJob:(${flow},notebooks.reports/a %281%29#2.ipynb)`;
  expect(parseNotebookUrn(notebook)).toEqual({ path: 'reports/a (1)#2.ipynb', cell: undefined });
  const odd = `urn:li:dataJob:(${flow},cells.reports/a#2.ipynb#b1)`;
  expect(parseNotebookUrn(odd)).toEqual({ path: 'reports/a#2.ipynb', cell: 'b1' });
  const spark = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,sales),spark.load)';
  expect([table('a'), spark, ''].map(parseNotebookUrn)).toEqual([null, null, null]);
});

test('the names in lists are parts of URNs', () => {
  expect(describeUrn(table('a'))).toMatchObject({
    type: 'dataset',
    name: 'a',
    namespace: 'flights',
    platform: 'spark'
  });
  expect(describeUrn(FILE)).toMatchObject({ name: 'raw/a,b (old).csv', namespace: '', platform: 'file' });
  expect(describeUrn(column('staff', 'name'))).toMatchObject({ type: 'schemaField', name: 'name' });
  expect(describeUrn(cell('c'))).toMatchObject({ type: 'dataJob', name: 'flights.ipynb#c' });
});
