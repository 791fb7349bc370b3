import { expect, test } from 'vitest';
import { compareVersions } from '../../src/model/merge-conflict';

test('only differences are listed, with both values', () => {
  const mine = { properties: { owner: 'me', same: 'x', mine: 'y' }, tags: ['a', 'b'] };
  const theirs = { properties: { same: 'x', owner: 'them', theirs: 'z' }, tags: ['b', 'c'] };
  expect(compareVersions(mine, theirs)).toEqual({
    pairs: [
      { key: 'owner', mine: 'me', theirs: 'them' },
      { key: 'mine', mine: 'y', theirs: undefined },
      { key: 'theirs', mine: undefined, theirs: 'z' }
    ],
    tags: { mine: ['a'], theirs: ['c'] }
  });
});

test('equal versions have no differences', () => {
  expect(compareVersions({ properties: { a: '1' } }, { properties: { a: '1' }, tags: [] })).toEqual({
    pairs: [],
    tags: { mine: [], theirs: [] }
  });
});
