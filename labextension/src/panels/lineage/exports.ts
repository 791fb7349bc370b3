import type { Lineage, LineageDiff } from '../../generated/api';
import type { IGraph } from '../../lineage/graph';
import { toBounds } from '../../model/interval';
import { toUtc } from '../../model/interval';
import type { IComparison } from './comparison';
import type { ILineageOptions } from './options';

/** The largest side of an exported picture: browsers limit the size of a canvas. */
const MAX_PIXELS = 8192;
const PIXEL_RATIO = 2;

/** Converts an SVG text to a PNG picture. */
export async function convertToPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const ratio = Math.min(PIXEL_RATIO, MAX_PIXELS / Math.max(1, image.naturalWidth, image.naturalHeight));
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.naturalWidth * ratio);
    canvas.height = Math.round(image.naturalHeight * ratio);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png')
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A graph in the format of the API, which notebook outputs draw, with the differences between two times. */
type LineageDocument = Lineage & { difference?: Difference };
type Difference = Pick<LineageDiff, 'from' | 'to' | 'added' | 'removed' | 'changed'>;

function selectDifference({ from, to, added, removed, changed }: LineageDiff): Difference {
  return { from, to, added, removed, changed };
}

/** Returns the loaded graph as a document. */
export function createDocument(
  graph: IGraph,
  options: ILineageOptions,
  comparison: IComparison | null
): LineageDocument {
  const { start = null, end = null } = toBounds(options.interval);
  return {
    urn: graph.focus,
    direction: options.direction,
    levels: options.levels,
    start,
    end,
    asOf: toUtc(options.asOf) ?? null,
    nodes: graph.nodes.filter(node => !node.members) as Lineage['nodes'],
    edges: [...graph.edges],
    columns: [...graph.columns],
    truncated: graph.truncated,
    frontier: [...graph.frontier],
    ...(comparison ? { difference: selectDifference(comparison.answer) } : {})
  };
}
