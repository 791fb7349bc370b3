import type { ILabels } from './cards';
import { SHAPES } from './cards';
import type { ICurve } from './curves';
import type { IPoint } from './layout';
import { COLUMN_HEIGHT, NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPlacedNode, IScene } from './scene';

const MARGIN = 24;
const ICON_SIZE = 18;
const ICON_GAP = 8;
const ELLIPSIS = '…';

/** Measures the width of a text in pixels; `bold` for names. */
type Measure = (text: string, size: number, bold: boolean) => number;

/** The labels of a drawing that an exported file needs. */
type FileLabels = Pick<ILabels, 'getName' | 'getPlace' | 'deleted'>;

/** Escapes a text for XML. */
export function escapeXml(text: string): string {
  return (
    text
      // These characters are not allowed in XML.
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  );
}

/** Creates a measure for a font; without a canvas, it assumes wide letters. */
function createMeasure(family: string): Measure {
  const context = document.createElement('canvas').getContext('2d');
  return (text, size, bold) => {
    if (!context) {
      return text.length * size * 0.65;
    }
    context.font = `${bold ? '600' : '400'} ${size}px ${family}`;
    return context.measureText(text).width;
  };
}

/** Truncates a text to a width, and returns it with its width. */
function truncateText(
  text: string,
  maxWidth: number,
  measure: (text: string) => number
): { text: string; width: number } {
  const fullWidth = measure(text);
  if (fullWidth <= maxWidth) {
    return { text, width: fullWidth };
  }
  const letters = [...text];
  let lower = 0;
  for (let upper = letters.length; lower < upper;) {
    const half = Math.ceil((lower + upper) / 2);
    if (measure(letters.slice(0, half).join('') + ELLIPSIS) <= maxWidth) {
      lower = half;
    } else {
      upper = half - 1;
    }
  }
  const cut = letters.slice(0, lower).join('') + ELLIPSIS;
  return { text: cut, width: Math.min(maxWidth, measure(cut)) };
}

/** Formats a line of text with its width, so that it fits with other fonts, too. */
function formatText(text: string, at: IPoint, room: number, size: number, bold: boolean, measure: Measure): string {
  const cut = truncateText(text, room, part => measure(part, size, bold));
  const length = cut.width > 0 ? ` textLength="${cut.width.toFixed(1)}" lengthAdjust="spacingAndGlyphs"` : '';
  const style = bold ? 'font-weight="600"' : 'fill="#555"';
  return `<text x="${at.x}" y="${at.y}" font-size="${size}" ${style}${length}>${escapeXml(cut.text)}</text>`;
}

function formatColumns({ columns }: IPlacedNode, measure: Measure): string {
  return (columns?.fields ?? [])
    .map((field, row) => {
      const top = NODE_HEIGHT + row * COLUMN_HEIGHT;
      const at = { x: 10, y: top + COLUMN_HEIGHT - 7 };
      const line = `<path d="M0 ${top}H${NODE_WIDTH}" stroke="#ccc"/>`;
      return line + formatText(field, at, NODE_WIDTH - 20, 12, false, measure);
    })
    .join('');
}

function formatNode(placed: IPlacedNode, labels: FileLabels, measure: Measure): string {
  const { node, at, height } = placed;
  const isData = node.type === 'dataset';
  const padding = isData ? 10 : 18;
  const x = padding + ICON_SIZE + ICON_GAP;
  const room = NODE_WIDTH - x - padding;
  const place = node.deleted ? `${labels.getPlace(node)} · ${labels.deleted}` : labels.getPlace(node);
  const icon = `translate(${padding} ${(NODE_HEIGHT - ICON_SIZE) / 2}) scale(${ICON_SIZE / 24})`;
  return (
    `<g transform="translate(${at.x} ${at.y})"><title>${escapeXml(node.urn)}</title>` +
    `<rect width="${NODE_WIDTH}" height="${height}" rx="${isData || node.type === 'group' ? 4 : NODE_HEIGHT / 2}" fill="#fff" stroke="#333"` +
    `${isData ? '' : ' stroke-dasharray="4 3"'}/>` +
    `<path d="${SHAPES[node.type]}" fill="#555" transform="${icon}"/>` +
    `${formatText(labels.getName(node), { x, y: 21 }, room, 13, true, measure)}` +
    `${formatText(place, { x, y: 37 }, room, 11, false, measure)}${formatColumns(placed, measure)}</g>`
  );
}

function formatPath(curves: readonly ICurve[]): string {
  return curves
    .map(
      ({ from, bend1, bend2, to }) => `M${from.x} ${from.y}C${bend1.x} ${bend1.y} ${bend2.x} ${bend2.y} ${to.x} ${to.y}`
    )
    .join('');
}

/** Exports the drawing as an SVG file, black on white. */
export function exportSvg(scene: IScene, labels: FileLabels, family: string): string {
  const measure = createMeasure(family);
  const width = scene.width + 2 * MARGIN;
  const height = scene.height + 2 * MARGIN;
  const edges = scene.edges.map(
    ({ curves, edge }) =>
      `<path d="${formatPath(curves)}" fill="none" stroke="#555" stroke-width="1.5" marker-end="url(#tip)"` +
      `${edge.access === 'unknown' ? ' stroke-dasharray="7 5"' : ''}/>`
  );
  const columnEdges = scene.columnEdges.map(
    ({ curves, isControl }) =>
      `<path d="${formatPath(curves)}" fill="none" stroke="#777"${isControl ? ' stroke-dasharray="4 4"' : ''}/>`
  );
  const nodes = [...scene.nodes.values()].map(placed => formatNode(placed, labels, measure));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" width="${width}" height="${height}" font-family="${escapeXml(family)}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    ...edges,
    ...columnEdges,
    ...nodes,
    '</svg>',
    ''
  ].join('\n');
}
