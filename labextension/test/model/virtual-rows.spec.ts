import { expect, test } from 'vitest';
import { getVisibleRows, getScrollTop } from '../../src/model/virtual-rows';

const VIEW = { top: 4000, height: 400, rowHeight: 40 };

test('only visible rows with a margin are rendered', () => {
  const [first, end] = getVisibleRows(VIEW, 5000);
  expect(first).toBeGreaterThan(80);
  expect(first).toBeLessThan(100);
  expect(end - first).toBeLessThan(30);
});

test('rows outside the list are not rendered', () => {
  expect(getVisibleRows({ ...VIEW, top: 0 }, 3)).toEqual([0, 3]);
  expect(getVisibleRows(VIEW, 0)).toEqual([0, 0]);
  expect(getVisibleRows(VIEW, 20)).toEqual([20, 20]);
});

test('a row is revealed with minimal scrolling', () => {
  expect(getScrollTop(VIEW, 105)).toBe(4000);
  expect(getScrollTop(VIEW, 110)).toBe(4040);
  expect(getScrollTop(VIEW, 99)).toBe(3960);
  expect(getScrollTop(VIEW, 0)).toBe(0);
});
