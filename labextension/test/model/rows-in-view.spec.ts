import { expect, test } from 'vitest';
import { rowsInView, topToShow } from '../../src/model/rows-in-view';

const VIEW = { top: 4000, height: 400, rowHeight: 40 };

test('of five thousand rows those in view are drawn, and a few beside them', () => {
  const [first, end] = rowsInView(VIEW, 5000);
  expect(first).toBeGreaterThan(80);
  expect(first).toBeLessThan(100);
  expect(end - first).toBeLessThan(30);
});

test('no row is drawn that is not there', () => {
  expect(rowsInView({ ...VIEW, top: 0 }, 3)).toEqual([0, 3]);
  expect(rowsInView(VIEW, 0)).toEqual([0, 0]);
  expect(rowsInView(VIEW, 20)).toEqual([20, 20]);
});

test('a row comes into view with as little movement as that takes', () => {
  expect(topToShow(VIEW, 105)).toBe(4000);
  expect(topToShow(VIEW, 110)).toBe(4040);
  expect(topToShow(VIEW, 99)).toBe(3960);
  expect(topToShow(VIEW, 0)).toBe(0);
});
