import type { IPoint } from './layout';

/** A cubic Bézier curve. */
export interface ICurve {
  from: IPoint;
  bend1: IPoint;
  bend2: IPoint;
  to: IPoint;
}

const MIN_REACH = 24;
const MAX_REACH = 90;

function getReach(from: IPoint, to: IPoint): number {
  return Math.min(MAX_REACH, Math.max(MIN_REACH, Math.abs(to.x - from.x) / 2));
}

/**
 * Creates the curves along a route. They leave the source and enter the target rightwards; in between
 * they run rightwards, or leftwards if the edge is backward.
 */
export function createCurves(route: readonly IPoint[], backward: boolean): ICurve[] {
  const direction = backward ? -1 : 1;
  return route.slice(1).map((to, index) => {
    const from = route[index]!;
    const length = getReach(from, to);
    const out = index === 0 ? 1 : direction;
    const into = index === route.length - 2 ? 1 : direction;
    return {
      from,
      bend1: { x: from.x + out * length, y: from.y },
      bend2: { x: to.x - into * length, y: to.y },
      to
    };
  });
}

/** Returns the point of a curve at a fraction of its length. */
export function getPoint(curve: ICurve, share: number): IPoint {
  const inverse = 1 - share;
  const [a, b, c, d] = [inverse ** 3, 3 * inverse ** 2 * share, 3 * inverse * share ** 2, share ** 3];
  const interpolate = (axis: 'x' | 'y'): number =>
    a * curve.from[axis] + b * curve.bend1[axis] + c * curve.bend2[axis] + d * curve.to[axis];
  return { x: interpolate('x'), y: interpolate('y') };
}

/** Returns the distance of a point from a curve, to within a few pixels. */
export function measureDistance(curve: ICurve, point: IPoint): number {
  let shortest = Infinity;
  for (let step = 0; step <= 24; step++) {
    const sample = getPoint(curve, step / 24);
    shortest = Math.min(shortest, Math.hypot(sample.x - point.x, sample.y - point.y));
  }
  return shortest;
}

/** Returns the middle of an edge. */
export function getMiddle(curves: readonly ICurve[]): IPoint {
  const { from, to } = curves[Math.floor(curves.length / 2)]!;
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}
