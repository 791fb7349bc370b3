import type { IWords } from './cards';
import { SHAPES } from './cards';
import type { ICurve } from './curves';
import type { IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPlacedNode, IScene } from './scene';

const MARGIN = 24;
const ICON_SIZE = 18;
const ICON_GAP = 8;
const ELLIPSIS = '…';

/** Measures a text of a size in pixels; `bold` as names are written. */
type Measure = (text: string, size: number, bold: boolean) => number;

/** The words of a drawing that a file needs. */
type FileWords = Pick<IWords, 'name' | 'place' | 'deleted'>;

/** Text that can stand in XML. */
export function escaped(text: string): string {
  return (
    text
      // XML knows no way to write these.
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  );
}

/** Measures as the browser does, or assumes wide letters where there is no canvas. */
function browserMeasure(family: string): Measure {
  const context = document.createElement('canvas').getContext('2d');
  return (text, size, bold) => {
    if (!context) {
      return text.length * size * 0.65;
    }
    context.font = `${bold ? '600' : '400'} ${size}px ${family}`;
    return context.measureText(text).width;
  };
}

/** A text, cut so that it fits into a width, with the width that it takes. */
function fitted(text: string, room: number, measured: (text: string) => number): { text: string; width: number } {
  const whole = measured(text);
  if (whole <= room) {
    return { text, width: whole };
  }
  const letters = [...text];
  let fits = 0;
  for (let most = letters.length; fits < most;) {
    const half = Math.ceil((fits + most) / 2);
    if (measured(letters.slice(0, half).join('') + ELLIPSIS) <= room) {
      fits = half;
    } else {
      most = half - 1;
    }
  }
  const cut = letters.slice(0, fits).join('') + ELLIPSIS;
  return { text: cut, width: Math.min(room, measured(cut)) };
}

/** One line of text; with its width, so that another font on another computer fits as well. */
function label(text: string, at: IPoint, room: number, size: number, bold: boolean, measure: Measure): string {
  const cut = fitted(text, room, part => measure(part, size, bold));
  const length = cut.width > 0 ? ` textLength="${cut.width.toFixed(1)}" lengthAdjust="spacingAndGlyphs"` : '';
  const look = bold ? 'font-weight="600"' : 'fill="#555"';
  return `<text x="${at.x}" y="${at.y}" font-size="${size}" ${look}${length}>${escaped(cut.text)}</text>`;
}

function nodeOf({ node, at }: IPlacedNode, words: FileWords, measure: Measure): string {
  const isData = node.type === 'dataset';
  const padding = isData ? 10 : 18;
  const x = padding + ICON_SIZE + ICON_GAP;
  const room = NODE_WIDTH - x - padding;
  const place = node.deleted ? `${words.place(node)} · ${words.deleted}` : words.place(node);
  const icon = `translate(${padding} ${(NODE_HEIGHT - ICON_SIZE) / 2}) scale(${ICON_SIZE / 24})`;
  return (
    `<g transform="translate(${at.x} ${at.y})"><title>${escaped(node.urn)}</title>` +
    `<rect width="${NODE_WIDTH}" height="${NODE_HEIGHT}" rx="${isData ? 4 : NODE_HEIGHT / 2}" fill="#fff" stroke="#333"` +
    `${isData ? '' : ' stroke-dasharray="4 3"'}/>` +
    `<path d="${SHAPES[node.type]}" fill="#555" transform="${icon}"/>` +
    `${label(words.name(node), { x, y: 21 }, room, 13, true, measure)}` +
    `${label(place, { x, y: 37 }, room, 11, false, measure)}</g>`
  );
}

function line(curves: readonly ICurve[]): string {
  return curves
    .map(
      ({ from, bend1, bend2, to }) => `M${from.x} ${from.y}C${bend1.x} ${bend1.y} ${bend2.x} ${bend2.y} ${to.x} ${to.y}`
    )
    .join('');
}

/** The whole drawing as a file of its own, with the words of the screen; written from the scene, black on white. */
export function svgOf(scene: IScene, words: FileWords, family: string): string {
  const measure = browserMeasure(family);
  const width = scene.width + 2 * MARGIN;
  const height = scene.height + 2 * MARGIN;
  const edges = scene.edges.map(
    ({ curves, edge }) =>
      `<path d="${line(curves)}" fill="none" stroke="#555" stroke-width="1.5" marker-end="url(#tip)"` +
      `${edge.access === 'unknown' ? ' stroke-dasharray="7 5"' : ''}/>`
  );
  const nodes = [...scene.nodes.values()].map(placed => nodeOf(placed, words, measure));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(family)}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    ...edges,
    ...nodes,
    '</svg>',
    ''
  ].join('\n');
}
