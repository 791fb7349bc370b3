import type { IPoint } from './layout';

/** A size in pixels. */
export interface ISize {
  width: number;
  height: number;
}

/** What part of the drawing is seen: screen = place * scale + shift. */
export interface IViewport {
  x: number;
  y: number;
  scale: number;
}

const SCALE_LEAST = 0.05;
const SCALE_MOST = 2.5;
const MARGIN = 24;
/** At this scale a card can be read at ease. */
const SCALE_TO_READ = 0.6;
/** Below this scale a card cannot be made out. */
export const SCALE_TO_MAKE_OUT = 0.35;

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Everything in view, in the middle, never larger than life. */
export function fitted(drawing: ISize, screen: ISize): IViewport {
  const wide = (screen.width - 2 * MARGIN) / Math.max(1, drawing.width);
  const high = (screen.height - 2 * MARGIN) / Math.max(1, drawing.height);
  const scale = within(Math.min(wide, high), SCALE_LEAST, 1);
  return {
    x: (screen.width - drawing.width * scale) / 2,
    y: (screen.height - drawing.height * scale) / 2,
    scale
  };
}

/** The view a drawing opens with: all of it if that is at least at this scale, else a part to read around one place. */
export function opened(drawing: ISize, screen: ISize, centre: IPoint, least = SCALE_TO_MAKE_OUT): IViewport {
  const whole = fitted(drawing, screen);
  if (whole.scale >= least) {
    return whole;
  }
  const scale = SCALE_TO_READ;
  const along = (size: number, room: number, middle: number): number => {
    const shift = room / 2 - middle * scale;
    const length = size * scale;
    return length <= room - 2 * MARGIN ? (room - length) / 2 : within(shift, room - MARGIN - length, MARGIN);
  };
  return {
    x: along(drawing.width, screen.width, centre.x),
    y: along(drawing.height, screen.height, centre.y),
    scale
  };
}

/** Nearer or farther, with the place under the pointer staying where it is. */
export function zoomed(view: IViewport, factor: number, at: IPoint): IViewport {
  const scale = within(view.scale * factor, SCALE_LEAST, SCALE_MOST);
  const ratio = scale / view.scale;
  return { x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio, scale };
}

/** The place in the drawing under a point of the screen. */
export function placeAt(view: IViewport, at: IPoint): IPoint {
  return { x: (at.x - view.x) / view.scale, y: (at.y - view.y) / view.scale };
}

function shiftFor(start: number, size: number, room: number): number {
  if (start < MARGIN) {
    return MARGIN - start;
  }
  // What is larger than the room shows its beginning.
  return Math.max(MARGIN - start, Math.min(0, room - MARGIN - start - size));
}

/** Moved no more than needed to bring a box of the drawing into view. */
export function showing(view: IViewport, box: IPoint & ISize, screen: ISize): IViewport {
  const left = box.x * view.scale + view.x;
  const top = box.y * view.scale + view.y;
  return {
    scale: view.scale,
    x: view.x + shiftFor(left, box.width * view.scale, screen.width),
    y: view.y + shiftFor(top, box.height * view.scale, screen.height)
  };
}

/** Moved, and made smaller down to what can be made out, to bring a whole box of the drawing into view. */
export function including(view: IViewport, box: IPoint & ISize, screen: ISize): IViewport {
  const least = Math.max(SCALE_TO_MAKE_OUT, fitted(box, screen).scale);
  const factor = Math.min(1, least / view.scale);
  return showing(zoomed(view, factor, { x: screen.width / 2, y: screen.height / 2 }), box, screen);
}
