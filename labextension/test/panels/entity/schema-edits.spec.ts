import { expect, test } from 'vitest';
import { removeColumn, renameColumn } from '../../../src/panels/entity/columns/schema-edits';

const SCHEMA = {
  schemaName: 'staff',
  fields: [
    { fieldPath: 'address', nativeDataType: 'struct' },
    { fieldPath: 'address.city', nativeDataType: 'string' },
    { fieldPath: 'addresses', nativeDataType: 'int', description: 'How many' }
  ],
  primaryKeys: ['address.city', 'addresses']
};

const listPaths = ({ fields }: { fields?: unknown }): unknown[] =>
  (fields as { fieldPath: unknown }[]).map(({ fieldPath }) => fieldPath);

test('a column is removed with the columns inside it', () => {
  const schema = removeColumn(SCHEMA, 'address');
  expect(listPaths(schema)).toEqual(['addresses']);
  expect([schema['primaryKeys'], schema['schemaName']]).toEqual([['addresses'], 'staff']);
});

test('a column is renamed with the columns inside it, and keeps what is known of it', () => {
  expect(listPaths(renameColumn(SCHEMA, 'address', 'home'))).toEqual(['home', 'home.city', 'addresses']);
  const { fields, primaryKeys } = renameColumn(SCHEMA, 'addresses', 'count') as typeof SCHEMA;
  expect(fields.at(-1)).toEqual({ fieldPath: 'count', nativeDataType: 'int', description: 'How many' });
  expect(primaryKeys).toEqual(['address.city', 'count']);
  expect(removeColumn({ fields: SCHEMA.fields }, 'addresses')).not.toHaveProperty('primaryKeys');
});
