import type { IAppearance } from './card-layer';
import type { IBadge, ILabels } from './cards';
import { SHAPES } from './cards';
import type { ICurve } from './curves';
import { getMiddle } from './curves';
import type { INode } from './graph';
import { formatHiddenCount, getEdgeId, SIDES } from './graph';
import type { IPoint } from './layout';
import { COLUMN_HEIGHT, NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { Mark } from './painter';
import { MARK_LINES } from './painter';
import type { IPlacedColumnEdge, IPlacedEdge, IPlacedNode, IScene } from './scene';
import type { IMeasure } from './text-width';
import { estimateWidth, truncateName, truncateText } from './text-width';

/** The room around the graph, in which the numbers of hidden neighbours fit. */
const MARGIN = 48;
const ICON_SIZE = 18;
const ICON_GAP = 8;

/** The colours of files, which do not know the theme of their readers: those of JupyterLab's light theme. */
const INK = '#212121';
const QUIET_INK = '#616161';
const LINE = '#757575';
const BORDER = '#bdbdbd';
const FOCUS = '#1976d2';
const MARKS: Record<Mark, string> = { added: '#1b5e20', removed: '#b71c1c', changed: '#8a4b00' };
const MARK_SIZE = 6;
const ARROW = 'url(#colophon-arrow)';
const FADED = ' opacity="0.2"';

/** What a file shows in addition to the graph. */
export interface IFileContent {
  title: string;
  labels: Pick<ILabels, 'getName' | 'getPlace' | 'deleted'>;
  /** The font of the texts. */
  family: string;
  /** Measures texts in this font; null if their widths are estimated. */
  measure: IMeasure | null;
  appearance: Pick<IAppearance, 'details' | 'badges'>;
  /** The colours of nodes, by URN. */
  fills: ReadonlyMap<string, string>;
  marks: ReadonlyMap<string, Mark>;
  /** The nodes and edges that are not faded; null for all. */
  path: ReadonlySet<string> | null;
}

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

/** Writes a line of text that fits into a width; a bold one is a name. A measured one has this width with other fonts, too. */
function writeText(text: string, at: IPoint, room: number, size: number, style: string, content: IFileContent): string {
  const isBold = style.includes('font-weight');
  const measure = (part: string): number => (content.measure ?? estimateWidth)(part, size, isBold);
  const shown = (isBold ? truncateName : truncateText)(text, room, measure);
  const width = Math.min(room, measure(shown));
  const length =
    content.measure && width > 0 ? ` textLength="${width.toFixed(1)}" lengthAdjust="spacingAndGlyphs"` : '';
  return `<text x="${at.x}" y="${at.y}" font-size="${size}" ${style}${length}>${escapeXml(shown)}</text>`;
}

/** Formats curves as the path of an SVG element. */
export function formatPath(curves: readonly ICurve[]): string {
  return curves
    .map(
      ({ from, bend1, bend2, to }) => `M${from.x} ${from.y}C${bend1.x} ${bend1.y} ${bend2.x} ${bend2.y} ${to.x} ${to.y}`
    )
    .join('');
}

/** Returns the attributes of the line of an edge. An edge that closes a cycle is dotted, one of unknown access dashed. */
function getLineStyle({ edge, backward }: IPlacedEdge, { marks, path }: IFileContent): string {
  const mark = marks.get(getEdgeId(edge));
  const dashes = mark === 'removed' ? '10 4 2 4' : backward ? '2 4' : edge.access === 'unknown' ? '7 5' : '';
  const colour = mark === undefined ? '' : ` stroke="${MARKS[mark]}" stroke-width="2.4"`;
  const faded = path === null || path.has(getEdgeId(edge)) ? '' : FADED;
  return `${dashes === '' ? '' : ` stroke-dasharray="${dashes}"`}${colour}${faded}`;
}

/** Writes a plus, a cross or a triangle in the middle of an edge that differs. */
function writeMark({ edge, curves }: IPlacedEdge, { marks }: IFileContent): string {
  const mark = marks.get(getEdgeId(edge));
  if (mark === undefined) {
    return '';
  }
  const { x, y } = getMiddle(curves);
  const lines = MARK_LINES[mark].map(
    line => `M${line.map(([right, down]) => `${x + right * MARK_SIZE} ${y + down * MARK_SIZE}`).join('L')}`
  );
  return `<path d="${lines.join('')}" stroke="${MARKS[mark]}" stroke-width="2.4"/>`;
}

function writeEdge(placed: IPlacedEdge, content: IFileContent): string {
  const start = placed.edge.access === 'both' ? ` marker-start="${ARROW}"` : '';
  const style = getLineStyle(placed, content);
  return `<path d="${formatPath(placed.curves)}"${start} marker-end="${ARROW}"${style}/>${writeMark(placed, content)}`;
}

function writeColumnEdge({ curves, isControl }: IPlacedColumnEdge): string {
  return `<path d="${formatPath(curves)}" stroke-width="1"${isControl ? ' stroke-dasharray="4 4"' : ''}/>`;
}

/** Writes the shape of a card: of a program a dashed pill, of a group with a shadow, of others a rectangle. */
function writeOutline({ node, height }: IPlacedNode, isFocus: boolean, colour: string | undefined): string {
  const isProgram = node.type === 'dataJob';
  const size = `width="${NODE_WIDTH}" height="${height}" rx="${isProgram ? NODE_HEIGHT / 2 : 4}"`;
  const shadow = node.type === 'group' ? `<rect x="3" y="3" ${size} fill="${BORDER}"/>` : '';
  const fill = isProgram || node.type === 'group' ? '#eee' : '#fff';
  const stroke = isFocus ? `stroke="${FOCUS}" stroke-width="2"` : `stroke="${BORDER}"`;
  const dashes = isProgram ? ' stroke-dasharray="4 3"' : '';
  const strip = colour === undefined ? '' : writeStrip(isProgram, colour);
  return `${shadow}<rect ${size} fill="${fill}" ${stroke}${dashes}/>${strip}`;
}

/** Writes the colour of a card on its left side. */
function writeStrip(isRound: boolean, colour: string): string {
  const shape = isRound
    ? `M24 0A24 24 0 0 0 24 48A27 27 0 0 1 24 0z`
    : `M4 0H6V${NODE_HEIGHT}H4A4 4 0 0 1 0 44V4A4 4 0 0 1 4 0z`;
  return `<path d="${shape}" fill="${escapeXml(colour)}"/>`;
}

function writeColumns({ columns }: IPlacedNode, content: IFileContent): string {
  return (columns?.fields ?? [])
    .map((field, row) => {
      const top = NODE_HEIGHT + row * COLUMN_HEIGHT;
      const at = { x: 10, y: top + COLUMN_HEIGHT - 7 };
      const line = `<path d="M0 ${top}H${NODE_WIDTH}" stroke="${BORDER}"/>`;
      return line + writeText(field, at, NODE_WIDTH - 20, 12, `fill="${INK}"`, content);
    })
    .join('');
}

/** Writes the numbers of hidden neighbours on the sides of a card. */
function writeHiddenCounts(node: INode): string {
  return SIDES.filter(side => node.notShown[side] > 0)
    .map(side => {
      const text = `+${formatHiddenCount(node, side)}`;
      const width = Math.max(26, Math.ceil(estimateWidth(text, 11, false)) + 12);
      const x = side === 'upstream' ? 4 - width : NODE_WIDTH - 4;
      return (
        `<rect x="${x}" y="28" width="${width}" height="18" rx="9" fill="#fff" stroke="${BORDER}"/>` +
        `<text x="${x + width / 2}" y="41" font-size="11" fill="${INK}" text-anchor="middle">${text}</text>`
      );
    })
    .join('');
}

/** Writes the badges of a card from right to left, and returns the room that they leave. */
function writeBadges(badges: readonly IBadge[], right: number): { text: string; left: number } {
  let left = right;
  const parts = [...badges].reverse().map(({ text }) => {
    const width = Math.ceil(estimateWidth(text, 11, false)) + 10;
    left -= width + 4;
    return (
      `<rect x="${left}" y="16" width="${width}" height="16" rx="8" fill="#fff" stroke="${BORDER}"/>` +
      `<text x="${left + width / 2}" y="28" font-size="11" fill="${INK}" text-anchor="middle">${escapeXml(text)}</text>`
    );
  });
  return { text: parts.join(''), left };
}

function writeCard(placed: IPlacedNode, content: IFileContent, focus: string): string {
  const { node, at } = placed;
  const { labels, appearance, fills, path } = content;
  const padding = node.type === 'dataJob' ? 18 : 10;
  const x = padding + ICON_SIZE + ICON_GAP;
  const badges = writeBadges(appearance.badges.get(node.urn) ?? [], NODE_WIDTH - padding);
  const room = badges.left - x;
  const place = appearance.details.get(node.urn) ?? labels.getPlace(node);
  const icon = `translate(${padding} ${(NODE_HEIGHT - ICON_SIZE) / 2}) scale(${ICON_SIZE / 24})`;
  const nameStyle = `fill="${INK}" font-weight="600"${node.deleted ? ' text-decoration="line-through"' : ''}`;
  const second = node.deleted ? `${place} · ${labels.deleted}` : place;
  return [
    `<g transform="translate(${at.x} ${at.y})"${path === null || path.has(node.urn) ? '' : FADED}>`,
    `<title>${escapeXml(node.members ? labels.getName(node) : node.urn)}</title>`,
    writeOutline(placed, node.urn === focus, fills.get(node.urn)),
    `<path d="${SHAPES[node.type]}" fill="${QUIET_INK}" transform="${icon}"/>`,
    writeText(labels.getName(node), { x, y: 21 }, room, 13, nameStyle, content),
    writeText(second, { x, y: 37 }, room, 11, `fill="${QUIET_INK}"`, content),
    writeColumns(placed, content),
    badges.text,
    writeHiddenCounts(node),
    '</g>'
  ].join('');
}

function writeHead({ width, height }: { width: number; height: number }, content: IFileContent): string[] {
  const title = escapeXml(content.title);
  const box = `width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${title}"` +
      ` viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" ${box} font-family="${escapeXml(content.family)}"><title>${title}</title>`,
    '<defs><marker id="colophon-arrow" viewBox="0 0 7 8" refX="7" refY="4" markerWidth="7" markerHeight="8"' +
      ` markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 0L7 4L0 8z" fill="${LINE}"/></marker></defs>`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" ${box} fill="#fff"/>`
  ];
}

/** Writes the drawing as an SVG file. It looks like the drawing in JupyterLab's light theme. */
export function exportSvg(scene: IScene, content: IFileContent): string {
  return [
    ...writeHead({ width: scene.width + 2 * MARGIN, height: scene.height + 2 * MARGIN }, content),
    `<g fill="none" stroke="${LINE}" stroke-width="1.3">`,
    ...scene.edges.map(placed => writeEdge(placed, content)),
    ...scene.columnEdges.map(writeColumnEdge),
    '</g>',
    ...[...scene.nodes.values()].map(placed => writeCard(placed, content, scene.graph.focus)),
    '</svg>',
    ''
  ].join('\n');
}
