import { expect, test } from 'vitest';
import { clashes } from '../../src/model/clash';

test('only what differs is told, with what each version says', () => {
  const mine = { properties: { owner: 'me', same: 'x', mine: 'y' }, tags: ['a', 'b'] };
  const theirs = { properties: { same: 'x', owner: 'them', theirs: 'z' }, tags: ['b', 'c'] };
  expect(clashes(mine, theirs)).toEqual({
    pairs: [
      { key: 'owner', mine: 'me', theirs: 'them' },
      { key: 'mine', mine: 'y', theirs: undefined },
      { key: 'theirs', mine: undefined, theirs: 'z' }
    ],
    tags: { mine: ['a'], theirs: ['c'] }
  });
});

test('equal versions clash nowhere', () => {
  expect(clashes({ properties: { a: '1' } }, { properties: { a: '1' }, tags: [] })).toEqual({
    pairs: [],
    tags: { mine: [], theirs: [] }
  });
});
