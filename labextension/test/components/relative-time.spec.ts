import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { formatRelativeTime } from '../../src/components/relative-time';

const trans = nullTranslator.load('jupyter_colophon');
const NOW = Date.parse('2026-11-24T12:00:00Z');

test.each([
  ['2026-11-24T11:59:40Z', 'just now'],
  ['2026-11-24T12:00:30Z', 'just now'],
  ['2026-11-24T11:57:00Z', '3 min ago'],
  ['2026-11-24T07:10:00Z', '4 h ago'],
  ['2026-11-23T11:00:00Z', '1 day ago'],
  ['2026-11-19T11:00:00Z', '5 days ago'],
  ['not a time', 'not a time']
])('%s is %s', (time, text) => {
  expect(formatRelativeTime(time, NOW, trans)).toBe(text);
});

test('older and future times are dates', () => {
  for (const time of ['2026-10-01T12:00:00Z', '2027-01-01T12:00:00Z']) {
    expect(formatRelativeTime(time, NOW, trans)).toBe(new Date(time).toLocaleDateString());
  }
});
