import { shortenName } from './shorten-name';

const NARROW = new Set("fijlrt .,:;'|!()[]/-I1");
const BROAD = new Set('mwMW@%&#…—');
/** From this character on, letters may be wide. */
const WIDE = '\u1100';
const ELLIPSIS = '…';

/** Measures the width of a text in pixels; `bold` for names. */
export interface IMeasure {
  (text: string, size: number, bold: boolean): number;
}

/** Returns the width of a letter as a part of the size of the font. */
function estimateLetter(letter: string): number {
  if (NARROW.has(letter)) {
    return 0.4;
  }
  if (BROAD.has(letter) || letter >= WIDE) {
    return 1;
  }
  return letter !== letter.toLowerCase() ? 0.75 : 0.6;
}

/** Estimates the width of a text generously, for readers with any font. */
export const estimateWidth: IMeasure = (text, size) =>
  [...text].reduce((sum, letter) => sum + estimateLetter(letter), 0) * size;

/** Creates a measure for a font; null without a canvas. */
export function createMeasure(family: string): IMeasure | null {
  const context = document.createElement('canvas').getContext('2d');
  return (
    context &&
    ((text, size, bold) => {
      context.font = `${bold ? '600' : '400'} ${size}px ${family}`;
      return context.measureText(text).width;
    })
  );
}

/** Returns the text that `shorten` makes of the most letters that fit into a width. */
function fitLetters(
  text: string,
  room: number,
  measure: (text: string) => number,
  shorten: (count: number) => string
): string {
  if (measure(text) <= room) {
    return text;
  }
  let lower = 0;
  for (let upper = [...text].length; lower < upper;) {
    const half = Math.ceil((lower + upper) / 2);
    if (measure(shorten(half)) <= room) {
      lower = half;
    } else {
      upper = half - 1;
    }
  }
  return shorten(lower);
}

/** Returns a text, or its longest beginning with an ellipsis that fits into a width. */
export function truncateText(text: string, room: number, measure: (text: string) => number): string {
  const letters = [...text];
  return fitLetters(text, room, measure, count => letters.slice(0, count).join('') + ELLIPSIS);
}

/** Returns a name, shortened in its middle if it does not fit into a width. */
export function truncateName(name: string, room: number, measure: (text: string) => number): string {
  return fitLetters(name, room, measure, count => shortenName(name, count));
}
