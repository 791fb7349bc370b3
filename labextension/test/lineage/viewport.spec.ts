import { expect, test } from 'vitest';
import { fitted, including, opened, placeAt, showing, zoomed } from '../../src/lineage/viewport';

const SCREEN = { width: 800, height: 600 };

test('a small drawing is shown in the middle at its own size', () => {
  expect(fitted({ width: 200, height: 100 }, SCREEN)).toEqual({ x: 300, y: 250, scale: 1 });
});

test('a large drawing is made to fit', () => {
  const view = fitted({ width: 8000, height: 100 }, SCREEN);
  expect(view.scale).toBeLessThan(0.1);
  expect(view.x).toBeGreaterThan(0);
});

test('a drawing opens so that it can be read, around its focus when it is too large', () => {
  const whole = { width: 500, height: 300 };
  expect(opened(whole, SCREEN, { x: 0, y: 0 })).toEqual(fitted(whole, SCREEN));
  const view = opened({ width: 8000, height: 100 }, SCREEN, { x: 4000, y: 50 });
  expect(view.scale).toBe(0.6);
  expect(view.x + 4000 * view.scale).toBeCloseTo(400);
});

test('a focus at the edge leaves no empty half of the screen', () => {
  const view = opened({ width: 8000, height: 100 }, SCREEN, { x: 0, y: 50 });
  expect(view.x).toBe(24);
});

test('the place under the pointer stays where it is when the view comes nearer', () => {
  const view = { x: 10, y: 20, scale: 1 };
  const at = { x: 200, y: 100 };
  expect(placeAt(zoomed(view, 2, at), at)).toEqual(placeAt(view, at));
  expect(zoomed(view, 1000, at).scale).toBe(2.5);
});

test('a box out of view is brought in by the shortest way, and one in view stays', () => {
  const view = { x: 0, y: 0, scale: 1 };
  expect(showing(view, { x: 100, y: 100, width: 50, height: 50 }, SCREEN)).toEqual(view);
  expect(showing(view, { x: -100, y: 100, width: 50, height: 50 }, SCREEN).x).toBe(124);
  expect(showing(view, { x: 900, y: 100, width: 50, height: 50 }, SCREEN).x).toBe(-174);
});

test('a drawing that can be made out whole is shown whole', () => {
  const wide = { width: 1068, height: 300 };
  expect(opened(wide, { width: 630, height: 600 }, { x: 0, y: 0 })).toEqual(fitted(wide, { width: 630, height: 600 }));
});

test('a box larger than the room is made smaller, as far as it can be made out', () => {
  const view = { x: 0, y: 0, scale: 1 };
  const seen = including(view, { x: 0, y: 0, width: 1200, height: 100 }, SCREEN);
  expect(seen.x).toBeCloseTo(24);
  expect(1200 * seen.scale + seen.x).toBeCloseTo(776);
  const huge = including(view, { x: 0, y: 0, width: 9000, height: 100 }, SCREEN);
  expect(huge.scale).toBeCloseTo(0.35);
  expect(huge.x).toBeCloseTo(24);
});
