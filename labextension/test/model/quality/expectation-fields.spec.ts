import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import type { IExpectationFields } from '../../../src/model/quality/expectation-fields';
import { createExpectationId, readFields, toFields } from '../../../src/model/quality/expectation-fields';
import type { IExpectation } from '../../../src/model/quality/quality';

const trans = nullTranslator.load('');

function read(fields: Partial<IExpectationFields>, type = ''): ReturnType<typeof readFields> {
  return readFields({ ...toFields(null), ...fields }, type, undefined, trans);
}

test.each<[IExpectation, string]>([
  [{ kind: 'notNull', column: 'id', tolerance: 0.07 }, 'bigint'],
  [{ kind: 'range', column: 'amount', min: 0, max: 9.5 }, 'double'],
  [{ kind: 'range', column: 'day', min: '2026-01-01' }, 'date'],
  [{ kind: 'set', column: 'state', values: ['open', '3'] }, 'string'],
  [{ kind: 'set', column: 'paid', values: [true, false] }, 'boolean'],
  [{ kind: 'set', column: 'level', values: [1, 2] }, 'int'],
  [{ kind: 'pattern', column: 'mail', pattern: '^a b$' }, 'string'],
  [{ kind: 'freshness', column: 'day', maxAge: 'PT36H' }, 'timestamp'],
  [{ kind: 'rowCount', max: 10, severity: 'warning', description: 'A small table.' }, ''],
  [{ kind: 'columns', columns: [{ name: 'id', type: 'decimal(10, 2)' }, { name: 'mail' }] }, '']
])('the form keeps %j', (expectation, type) => {
  expect(readFields(toFields(expectation), type, undefined, trans)).toEqual({ expectation, errors: {} });
});

test('fields of another kind are not written', () => {
  const fields = { ...toFields({ kind: 'range', column: 'amount', min: 0 }), kind: 'notNull' as const };
  expect(readFields(fields, '', 'dbt', trans).expectation).toEqual({
    kind: 'notNull',
    column: 'amount',
    origin: 'dbt'
  });
});

test('what is missing or cannot be read is an error of its field', () => {
  expect(Object.keys(read({ kind: 'range' }).errors).sort()).toEqual(['column', 'min']);
  expect(Object.keys(read({ kind: 'rowCount', max: '1.5' }).errors)).toEqual(['max']);
  expect(Object.keys(read({ kind: 'freshness', column: 'day', maxAge: '0' }).errors)).toEqual(['maxAge']);
  expect(Object.keys(read({ kind: 'unique', column: 'id', tolerance: '100' }).errors)).toEqual(['tolerance']);
  expect(Object.keys(read({ kind: 'set', column: 'state', values: ' \n' }).errors)).toEqual(['values']);
});

test('an id names the column and the kind, and is not taken', () => {
  const expectation: IExpectation = { kind: 'notNull', column: 'address.home town' };
  expect(createExpectationId(expectation, () => false)).toBe('address.home_town-not-null');
  expect(createExpectationId({ kind: 'rowCount' }, id => id === 'row-count')).toBe('row-count-2');
});
