import type { IPoint } from './layout';

/** A size in pixels. */
export interface ISize {
  width: number;
  height: number;
}

/** The visible part of the drawing: screen = location * scale + shift. */
export interface IViewport {
  x: number;
  y: number;
  scale: number;
}

const MIN_SCALE = 0.05;
const MAX_SCALE = 2.5;
const MARGIN = 24;
/** At this scale cards are easy to read. */
export const READING_SCALE = 0.92;
/** Below this scale cards are unreadable. */
export const MIN_CARD_SCALE = 0.35;

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Returns the view of the whole drawing, centred and not enlarged. */
export function fitView(drawing: ISize, screen: ISize): IViewport {
  const wide = (screen.width - 2 * MARGIN) / Math.max(1, drawing.width);
  const high = (screen.height - 2 * MARGIN) / Math.max(1, drawing.height);
  const scale = clamp(Math.min(wide, high), MIN_SCALE, 1);
  return {
    x: (screen.width - drawing.width * scale) / 2,
    y: (screen.height - drawing.height * scale) / 2,
    scale
  };
}

/** Returns the first view of a drawing: all of it if the scale is sufficient, else a readable part around one point. */
export function openView(drawing: ISize, screen: ISize, centre: IPoint, minScale = MIN_CARD_SCALE): IViewport {
  const fitted = fitView(drawing, screen);
  if (fitted.scale >= minScale) {
    return fitted;
  }
  const scale = READING_SCALE;
  const placeAxis = (size: number, room: number, middle: number): number => {
    const shift = room / 2 - middle * scale;
    const length = size * scale;
    return length <= room - 2 * MARGIN ? (room - length) / 2 : clamp(shift, room - MARGIN - length, MARGIN);
  };
  return {
    x: placeAxis(drawing.width, screen.width, centre.x),
    y: placeAxis(drawing.height, screen.height, centre.y),
    scale
  };
}

/** Returns the view with another scale; the point under the pointer stays in place. */
export function zoomView(view: IViewport, factor: number, at: IPoint): IViewport {
  const scale = clamp(view.scale * factor, MIN_SCALE, MAX_SCALE);
  const ratio = scale / view.scale;
  return { x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio, scale };
}

/** Returns the point of the drawing at a point of the screen. */
export function toDrawingPoint(view: IViewport, at: IPoint): IPoint {
  return { x: (at.x - view.x) / view.scale, y: (at.y - view.y) / view.scale };
}

function getShift(start: number, size: number, room: number): number {
  if (start < MARGIN) {
    return MARGIN - start;
  }
  // A box larger than the view is shown from its start.
  return Math.max(MARGIN - start, Math.min(0, room - MARGIN - start - size));
}

/** Returns the view moved as little as possible to show a box of the drawing. */
export function revealBox(view: IViewport, box: IPoint & ISize, screen: ISize): IViewport {
  const left = box.x * view.scale + view.x;
  const top = box.y * view.scale + view.y;
  return {
    scale: view.scale,
    x: view.x + getShift(left, box.width * view.scale, screen.width),
    y: view.y + getShift(top, box.height * view.scale, screen.height)
  };
}

/** Returns the view moved, and zoomed out if necessary, to show a whole box of the drawing. */
export function fitBox(view: IViewport, box: IPoint & ISize, screen: ISize): IViewport {
  const minScale = Math.max(MIN_CARD_SCALE, fitView(box, screen).scale);
  const factor = Math.min(1, minScale / view.scale);
  return revealBox(zoomView(view, factor, { x: screen.width / 2, y: screen.height / 2 }), box, screen);
}
