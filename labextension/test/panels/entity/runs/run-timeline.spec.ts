import { describe, expect, test } from 'vitest';
import type { Run } from '../../../../src/generated/api';
import { findNextRun, getSpan, listRunRows, listTicks } from '../../../../src/panels/entity/runs/run-timeline';
import { cell, runOf } from '../../../support/server';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-20T12:00:00.000Z');

/** A run that started some minutes ago; without a length, it still runs. */
function run(id: string, minutesAgo: number, minutes: number | null = 1, program = 'p'): Run {
  const start = NOW - minutesAgo * MINUTE;
  const end = minutes === null ? null : new Date(start + minutes * MINUTE).toISOString();
  return { ...runOf(id), program: cell(program), start: new Date(start).toISOString(), end };
}

describe('the time that is shown', () => {
  test('is that of the runs, with a margin, if the interval is open', () => {
    const span = getSpan([run('b', 20, 10), run('a', 110, 10)], { kind: 'all' }, false, NOW);
    expect(span).toEqual({ start: NOW - 112 * MINUTE, end: NOW - 8 * MINUTE });
  });

  test('is the interval, up to now', () => {
    const span = getSpan([run('a', 5)], { kind: 'hour' }, false, NOW);
    expect(span).toEqual({ start: NOW - 60 * MINUTE, end: NOW });
  });

  test('begins with the earliest loaded run while there are earlier ones', () => {
    const { start, end } = getSpan([run('a', 5)], { kind: 'week' }, true, NOW);
    expect(start).toBeGreaterThan(NOW - 6 * MINUTE);
    expect(end).toBe(NOW);
  });

  test('of runs at one moment is not empty', () => {
    const { start, end } = getSpan([run('a', 5, 0)], { kind: 'all' }, false, NOW);
    expect(end).toBeGreaterThan(start);
  });
});

test('each program has a row, the one that ran last first, with its runs by time', () => {
  const runs = [run('a', 90, 5, 'old'), run('b', 10, 5, 'new'), run('c', 50, 5, 'old')];
  const rows = listRunRows(runs, { start: NOW - 100 * MINUTE, end: NOW }, NOW);
  expect(rows.map(({ program }) => program)).toEqual([cell('new'), cell('old')]);
  expect(rows[1]?.bars.map(bar => [bar.run.runId, bar.left.toFixed(2), bar.width.toFixed(2)])).toEqual([
    ['a', '0.10', '0.05'],
    ['c', '0.50', '0.05']
  ]);
});

test('overlapping runs are in different lanes, and a running one ends now', () => {
  const runs = [run('a', 50, 20), run('b', 40, null), run('c', 20, 5)];
  const [row] = listRunRows(runs, { start: NOW - 100 * MINUTE, end: NOW }, NOW);
  expect(row?.bars.map(({ lane }) => lane)).toEqual([0, 1, 0]);
  expect(row?.bars[1]).toMatchObject({ left: 0.6, width: 0.4 });
  expect(row?.lanes).toBe(2);
});

test('a short run at the end of the time is wide enough to be seen, and inside', () => {
  const [row] = listRunRows([run('a', 0, 0)], { start: NOW - 100 * MINUTE, end: NOW }, NOW);
  const { left = 0, width = 0 } = row?.bars[0] ?? {};
  expect(width).toBeGreaterThan(0.01);
  expect(left + width).toBeLessThanOrEqual(1);
});

test.each([10 / 60, 5, 90, 60 * 30, 60 * 24 * 20, 60 * 24 * 3000])(
  '%s minutes have few labels, all inside',
  minutes => {
    const span = { start: NOW - minutes * MINUTE, end: NOW };
    const ticks = listTicks(span);
    expect(ticks.length).toBeGreaterThan(0);
    expect(ticks.length).toBeLessThanOrEqual(6);
    ticks.forEach(({ left }) => {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(1);
    });
  }
);

test('keys lead to runs of the same row, or to the nearest one of another row', () => {
  const runs = [run('a', 90), run('b', 60), run('c', 10), run('d', 55, 1, 'q'), run('e', 85, 1, 'q')];
  const rows = listRunRows(runs, { start: NOW - 100 * MINUTE, end: NOW }, NOW);
  const next = (id: string, key: string): string | undefined =>
    findNextRun(rows, runOf(id).urn, key)?.replace('urn:li:dataProcessInstance:', '');
  expect(next('b', 'ArrowLeft')).toBe('a');
  expect(next('b', 'ArrowRight')).toBe('c');
  expect(next('b', 'End')).toBe('c');
  expect(next('b', 'Home')).toBe('a');
  expect(next('a', 'ArrowDown')).toBe('e');
  expect(next('d', 'ArrowUp')).toBe('b');
  expect(next('a', 'ArrowLeft')).toBeUndefined();
  expect(next('a', 'x')).toBeUndefined();
});
