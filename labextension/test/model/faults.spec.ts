import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { formSchema } from '../../src/model/form-schema';
import { checkOf, DRAFT_2020 } from '../../src/forms/validation';
import { PEOPLE } from '../support/server';

const NAME = 'Only the letters A to Z, digits, _ and -, at most 50 of them.';
const check = checkOf(formSchema(PEOPLE.schema), DRAFT_2020, nullTranslator.load(''));

test('a good value has no faults', () => {
  expect(check({ properties: { owner: 'ops' }, tags: ['faa'] })).toEqual([]);
});

test('a wrong key is found at the key, once', () => {
  expect(check({ properties: { 'bad key!': 'x', 'a/b': 'y' }, tags: [] })).toEqual([
    { pointer: '/properties/bad key!', message: NAME },
    { pointer: '/properties/a~1b', message: NAME }
  ]);
});

test('the reserved key is told apart from a wrong one', () => {
  expect(check({ properties: { Tags: 'x' }, tags: [] })).toEqual([
    { pointer: '/properties/Tags', message: 'This word is reserved.' }
  ]);
});

test('a wrong tag, a value that is too long and a tag that stands twice are found where they are', () => {
  const faults = check({ properties: { a: 'x'.repeat(21) }, tags: ['ok', 'not ok', 'ok'] });
  expect(faults).toContainEqual({ pointer: '/properties/a', message: 'At most 20 characters.' });
  expect(faults).toContainEqual({ pointer: '/tags/1', message: NAME });
  expect(faults).toContainEqual({ pointer: '/tags/2', message: 'Duplicate value.' });
});

test('what is missing is found where it should stand', () => {
  expect(check({ properties: {} })).toEqual([{ pointer: '/tags', message: 'Required.' }]);
});

test('what does not belong is named', () => {
  expect(check({ properties: {}, tags: [], colour: 'red' })).toEqual([
    { pointer: '', message: 'colour does not belong here.' }
  ]);
});
