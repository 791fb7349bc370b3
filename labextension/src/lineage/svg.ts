import type { ICurve } from './curves';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IScene } from './scene';

const MARGIN = 24;
const NAME_MOST = 26;

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

function shortened(text: string): string {
  return text.length > NAME_MOST ? `${text.slice(0, NAME_MOST - 1)}…` : text;
}

function line(curves: readonly ICurve[]): string {
  return curves
    .map(
      ({ from, bend1, bend2, to }) => `M${from.x} ${from.y}C${bend1.x} ${bend1.y} ${bend2.x} ${bend2.y} ${to.x} ${to.y}`
    )
    .join('');
}

/** The whole drawing as a file of its own; written from the scene, black on white. */
export function svgOf(scene: IScene): string {
  const width = scene.width + 2 * MARGIN;
  const height = scene.height + 2 * MARGIN;
  const edges = scene.edges.map(
    ({ curves, edge }) =>
      `<path d="${line(curves)}" fill="none" stroke="#555" stroke-width="1.5" marker-end="url(#tip)"` +
      `${edge.access === 'unknown' ? ' stroke-dasharray="7 5"' : ''}/>`
  );
  const nodes = [...scene.nodes.values()].map(({ node, at }) => {
    const round = node.type === 'dataset' ? 2 : NODE_HEIGHT / 2;
    return (
      `<g transform="translate(${at.x} ${at.y})"><title>${escaped(node.urn)}</title>` +
      `<rect width="${NODE_WIDTH}" height="${NODE_HEIGHT}" rx="${round}" fill="#fff" stroke="#333"/>` +
      `<text x="14" y="20" font-weight="600">${escaped(shortened(node.title ?? node.name))}</text>` +
      `<text x="14" y="37" fill="#555">${escaped(shortened(node.namespace))}</text></g>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    ...edges,
    ...nodes,
    '</svg>',
    ''
  ].join('\n');
}
