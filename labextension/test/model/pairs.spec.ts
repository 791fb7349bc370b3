import { expect, test } from 'vitest';
import { objectOf, pairFaults, pairsOf } from '../../src/model/pairs';

const WORDS = { unnamed: 'unnamed', twice: 'twice' };

test('an object goes to pairs and back, in its order', () => {
  const object = { b: '1', a: '2' };
  expect(pairsOf(object, 5).map(pair => pair.id)).toEqual([5, 6]);
  expect(Object.keys(objectOf(pairsOf(object, 0)))).toEqual(['b', 'a']);
});

test('an empty row is no fault, and not in the object', () => {
  const pairs = [{ id: 0, key: '', value: '' }];
  expect(objectOf(pairs)).toEqual({});
  expect(pairFaults('/p', pairs, WORDS)).toEqual([]);
});

test('a value without a key and a key that stands twice are faults at their place', () => {
  const pairs = [
    { id: 0, key: 'a/b', value: '1' },
    { id: 1, key: 'a/b', value: '2' },
    { id: 2, key: '', value: 'x' }
  ];
  expect(pairFaults('/p', pairs, WORDS)).toEqual([
    { pointer: '/p/a~1b', message: 'twice' },
    { pointer: '/p/', message: 'unnamed' }
  ]);
});
