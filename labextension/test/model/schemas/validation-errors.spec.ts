import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { toFormSchema } from '../../../src/model/schemas/form-schema';
import { createCheck, DRAFT_2020 } from '../../../src/forms/validation';
import { PEOPLE } from '../../support/server';

const NAME = 'Only A to Z, a to z, 0 to 9, _ and - are allowed, at most 50 characters.';
const check = createCheck(toFormSchema(PEOPLE.schema), DRAFT_2020, nullTranslator.load(''));

test('a valid value has no errors', () => {
  expect(check({ properties: { owner: 'ops' }, tags: ['faa'] })).toEqual([]);
});

test('an invalid key has one error at the key', () => {
  expect(check({ properties: { 'bad key!': 'x', 'a/b': 'y' }, tags: [] })).toEqual([
    { pointer: '/properties/bad key!', message: NAME },
    { pointer: '/properties/a~1b', message: NAME }
  ]);
});

test('a reserved key has its own message', () => {
  expect(check({ properties: { Tags: 'x' }, tags: [] })).toEqual([
    { pointer: '/properties/Tags', message: 'This name is reserved.' }
  ]);
});

test('invalid, long and duplicate values have errors at their locations', () => {
  const faults = check({ properties: { a: 'x'.repeat(21) }, tags: ['ok', 'not ok', 'ok'] });
  expect(faults).toContainEqual({ pointer: '/properties/a', message: 'At most 20 characters.' });
  expect(faults).toContainEqual({ pointer: '/tags/1', message: NAME });
  expect(faults).toContainEqual({ pointer: '/tags/2', message: 'Duplicate value.' });
});

test('an item that does not match a pattern has the description of the items, if there is one', () => {
  const items = { type: 'string', pattern: '^(user|group):', description: 'user:NAME or group:NAME.' };
  const checkItems = (schema: object) =>
    createCheck({ properties: { to: { items: schema } } }, DRAFT_2020, nullTranslator.load(''))({ to: ['ada'] });
  expect(checkItems(items)).toEqual([{ pointer: '/to/0', message: 'Expected: user:NAME or group:NAME.' }]);
  expect(checkItems({ ...items, description: '' })).toEqual([
    { pointer: '/to/0', message: 'Must match the pattern ^(user|group):' }
  ]);
});

test('a missing property has an error at its location', () => {
  expect(check({ properties: {} })).toEqual([{ pointer: '/tags', message: 'Required.' }]);
});

test('an unknown property is named', () => {
  expect(check({ properties: {}, tags: [], colour: 'red' })).toEqual([
    { pointer: '', message: 'Unknown property: colour.' }
  ]);
});
