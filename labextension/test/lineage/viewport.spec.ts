import { expect, test } from 'vitest';
import { fitView, fitBox, openView, toDrawingPoint, revealBox, zoomView } from '../../src/lineage/viewport';

const SCREEN = { width: 800, height: 600 };

test('a small drawing is centred at its own size', () => {
  expect(fitView({ width: 200, height: 100 }, SCREEN)).toEqual({ x: 300, y: 250, scale: 1 });
});

test('a large drawing is scaled to fit', () => {
  const view = fitView({ width: 8000, height: 100 }, SCREEN);
  expect(view.scale).toBeLessThan(0.1);
  expect(view.x).toBeGreaterThan(0);
});

test('a large drawing opens readable around its focus', () => {
  const fitted = { width: 500, height: 300 };
  expect(openView(fitted, SCREEN, { x: 0, y: 0 })).toEqual(fitView(fitted, SCREEN));
  const view = openView({ width: 8000, height: 100 }, SCREEN, { x: 4000, y: 50 });
  expect(view.scale).toBe(0.92);
  expect(view.x + 4000 * view.scale).toBeCloseTo(400);
});

test('a focus at the edge leaves no empty half of the view', () => {
  const view = openView({ width: 8000, height: 100 }, SCREEN, { x: 0, y: 50 });
  expect(view.x).toBe(24);
});

test('zooming keeps the point under the pointer', () => {
  const view = { x: 10, y: 20, scale: 1 };
  const at = { x: 200, y: 100 };
  expect(toDrawingPoint(zoomView(view, 2, at), at)).toEqual(toDrawingPoint(view, at));
  expect(zoomView(view, 1000, at).scale).toBe(2.5);
});

test('a hidden box is revealed with minimal movement', () => {
  const view = { x: 0, y: 0, scale: 1 };
  expect(revealBox(view, { x: 100, y: 100, width: 50, height: 50 }, SCREEN)).toEqual(view);
  expect(revealBox(view, { x: -100, y: 100, width: 50, height: 50 }, SCREEN).x).toBe(124);
  expect(revealBox(view, { x: 900, y: 100, width: 50, height: 50 }, SCREEN).x).toBe(-174);
});

test('a drawing that is readable at the minimum scale is shown whole', () => {
  const wide = { width: 1068, height: 300 };
  expect(openView(wide, { width: 630, height: 600 }, { x: 0, y: 0 })).toEqual(
    fitView(wide, { width: 630, height: 600 })
  );
});

test('a box larger than the view is scaled down to the minimum', () => {
  const view = { x: 0, y: 0, scale: 1 };
  const result = fitBox(view, { x: 0, y: 0, width: 1200, height: 100 }, SCREEN);
  expect(result.x).toBeCloseTo(24);
  expect(1200 * result.scale + result.x).toBeCloseTo(776);
  const huge = fitBox(view, { x: 0, y: 0, width: 9000, height: 100 }, SCREEN);
  expect(huge.scale).toBeCloseTo(0.35);
  expect(huge.x).toBeCloseTo(24);
});
