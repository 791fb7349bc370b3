import { expect, test } from 'vitest';
import { toObject, findPairErrors, toPairs } from '../../../src/model/editing/pairs';

const WORDS = { unnamed: 'unnamed', twice: 'twice' };

test('objects convert to pairs and back in order', () => {
  const object = { b: '1', a: '2' };
  expect(toPairs(object, 5).map(pair => pair.id)).toEqual([5, 6]);
  expect(Object.keys(toObject(toPairs(object, 0)))).toEqual(['b', 'a']);
});

test('an empty row is ignored', () => {
  const pairs = [{ id: 0, key: '', value: '' }];
  expect(toObject(pairs)).toEqual({});
  expect(findPairErrors('/p', pairs, WORDS)).toEqual([]);
});

test('missing and duplicate keys are errors', () => {
  const pairs = [
    { id: 0, key: 'a/b', value: '1' },
    { id: 1, key: 'a/b', value: '2' },
    { id: 2, key: '', value: 'x' }
  ];
  expect(findPairErrors('/p', pairs, WORDS)).toEqual([
    { pointer: '/p/a~1b', message: 'twice' },
    { pointer: '/p/', message: 'unnamed' }
  ]);
});
