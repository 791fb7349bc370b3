import { expect, test } from 'vitest';
import { toBounds, isReversed } from '../../src/model/interval';

test('preset intervals have relative bounds', () => {
  expect(toBounds({ kind: 'all' })).toEqual({});
  expect(toBounds({ kind: 'day' })).toEqual({ start: 'now-1d' });
});

test('a custom interval is converted to UTC', () => {
  const from = '2026-11-20T12:00';
  expect(toBounds({ kind: 'custom', from, to: '' })).toEqual({ start: new Date(from).toISOString() });
  expect(toBounds({ kind: 'custom', from: 'soon', to: '' })).toEqual({});
});

test('an interval is reversed if it ends before it starts', () => {
  const [early, late] = ['2026-01-01T08:00', '2026-01-01T09:00'];
  expect(isReversed({ kind: 'custom', from: late, to: early })).toBe(true);
  expect(isReversed({ kind: 'custom', from: early, to: late })).toBe(false);
  expect(isReversed({ kind: 'custom', from: late, to: '' })).toBe(false);
  expect(isReversed({ kind: 'day' })).toBe(false);
});
