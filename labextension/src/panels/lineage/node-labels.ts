import type { LineageLabels } from '../../generated/api';
import type { ICatalog } from '../../tokens';

type NodeLabels = LineageLabels['nodes'][number];

/** The most nodes of one request. */
const PAGE = 1000;

/** Reads the tags and owners of nodes, by URN; those that are not readable are missing. */
export async function readNodeLabels(
  catalog: ICatalog,
  urns: readonly string[],
  signal?: AbortSignal
): Promise<Map<string, NodeLabels>> {
  const labels = new Map<string, NodeLabels>();
  for (let start = 0; start < urns.length; start += PAGE) {
    const body = { urns: urns.slice(start, start + PAGE) };
    const { nodes } = await catalog.call('readLineageLabels', {}, { body, signal });
    nodes.forEach(node => labels.set(node.urn, node));
  }
  return labels;
}
