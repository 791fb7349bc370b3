import { expect, test } from 'vitest';
import { intervalBounds, isReversed } from '../../src/model/interval';

test('all time has no bounds, and the last day a start that the server reckons', () => {
  expect(intervalBounds({ kind: 'all' })).toEqual({});
  expect(intervalBounds({ kind: 'day' })).toEqual({ start: 'now-1d' });
});

test('a chosen interval is sent in UTC; a side that is empty or unreadable is open', () => {
  const from = '2026-11-20T12:00';
  expect(intervalBounds({ kind: 'custom', from, to: '' })).toEqual({ start: new Date(from).toISOString() });
  expect(intervalBounds({ kind: 'custom', from: 'soon', to: '' })).toEqual({});
});

test('an interval is reversed only when it ends before it begins', () => {
  const [early, late] = ['2026-01-01T08:00', '2026-01-01T09:00'];
  expect(isReversed({ kind: 'custom', from: late, to: early })).toBe(true);
  expect(isReversed({ kind: 'custom', from: early, to: late })).toBe(false);
  expect(isReversed({ kind: 'custom', from: late, to: '' })).toBe(false);
  expect(isReversed({ kind: 'day' })).toBe(false);
});
