import type { IPoint } from './layout';

/** A cubic Bézier curve. */
export interface ICurve {
  from: IPoint;
  bend1: IPoint;
  bend2: IPoint;
  to: IPoint;
}

const REACH_LEAST = 24;
const REACH_MOST = 90;

function reach(from: IPoint, to: IPoint): number {
  return Math.min(REACH_MOST, Math.max(REACH_LEAST, Math.abs(to.x - from.x) / 2));
}

/**
 * The smooth line through a route. It leaves its source and enters its target rightwards; in between
 * it runs rightwards, or leftwards when backward.
 */
export function curvesOf(route: readonly IPoint[], backward: boolean): ICurve[] {
  const way = backward ? -1 : 1;
  return route.slice(1).map((to, index) => {
    const from = route[index]!;
    const much = reach(from, to);
    const out = index === 0 ? 1 : way;
    const into = index === route.length - 2 ? 1 : way;
    return {
      from,
      bend1: { x: from.x + out * much, y: from.y },
      bend2: { x: to.x - into * much, y: to.y },
      to
    };
  });
}

/** The point of a curve at a share of its way. */
export function pointOn(curve: ICurve, share: number): IPoint {
  const rest = 1 - share;
  const [a, b, c, d] = [rest ** 3, 3 * rest ** 2 * share, 3 * rest * share ** 2, share ** 3];
  const mix = (axis: 'x' | 'y'): number =>
    a * curve.from[axis] + b * curve.bend1[axis] + c * curve.bend2[axis] + d * curve.to[axis];
  return { x: mix('x'), y: mix('y') };
}

/** Distance of a point from a curve, to within a few pixels. */
export function distance(curve: ICurve, point: IPoint): number {
  let least = Infinity;
  for (let step = 0; step <= 24; step++) {
    const on = pointOn(curve, step / 24);
    least = Math.min(least, Math.hypot(on.x - point.x, on.y - point.y));
  }
  return least;
}
