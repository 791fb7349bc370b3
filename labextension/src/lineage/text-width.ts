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

/** Returns a text, or its longest beginning with an ellipsis that fits into a width. */
export function truncateText(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) {
    return text;
  }
  const letters = [...text];
  let lower = 0;
  for (let upper = letters.length; lower < upper;) {
    const half = Math.ceil((lower + upper) / 2);
    if (measure(letters.slice(0, half).join('') + ELLIPSIS) <= room) {
      lower = half;
    } else {
      upper = half - 1;
    }
  }
  return letters.slice(0, lower).join('') + ELLIPSIS;
}
