import { expect, test } from 'vitest';
import { getDataLabel } from '../../src/components/data-label';
import { getEntityLabel } from '../../src/panels/activity/lines';

const FILE = 'urn:li:dataset:(urn:li:dataPlatform:file,/home/ada/orders.csv,PROD)';
const VARIABLE = 'urn:li:dataset:(urn:li:dataPlatform:notebook,default/a.ipynb#cell#orders,PROD)';

test('data are labelled without folders, notebooks and cells', () => {
  expect([FILE, VARIABLE].map(getDataLabel)).toEqual(['orders.csv', 'orders']);
});

test('an activity names files, variables and columns of files alike', () => {
  const label = (urn: string, type: string, name: string): string => getEntityLabel({ urn, type, name });
  expect(label(FILE, 'dataset', '/home/ada/orders.csv')).toBe('orders.csv');
  expect(label(VARIABLE, 'dataset', 'default/a.ipynb#cell#orders')).toBe('orders');
  expect(label(`urn:li:schemaField:(${FILE},a/b)`, 'schemaField', 'a/b')).toBe('orders.csv.a/b');
  expect(label('urn:li:corpuser:a/b', 'corpuser', 'a/b')).toBe('a/b');
});
