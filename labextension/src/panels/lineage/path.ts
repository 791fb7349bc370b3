import type { Lineage } from '../../generated/api';
import { getEdgeId } from '../../lineage/graph';
import type { ICatalog, IInterval } from '../../tokens';

/** The shortest paths between two nodes. */
export interface IPath {
  from: string;
  to: string;
  /** The number of paths. */
  count: number;
  /** The nodes and edges on the paths, by URNs and ids. */
  ids: ReadonlySet<string>;
  part: Pick<Lineage, 'nodes' | 'edges'>;
}

/** Reads the shortest paths between two nodes, in the direction in which data flows. */
export async function readPath(
  catalog: ICatalog,
  from: string,
  to: string,
  times: IInterval & { asOf?: string }
): Promise<IPath> {
  const forward = await catalog.call('readLineagePath', { from, to, ...times });
  const found =
    forward.levels === null ? await catalog.call('readLineagePath', { from: to, to: from, ...times }) : forward;
  const { nodes, edges } = found;
  return {
    from: found.from,
    to: found.to,
    count: found.levels === null ? 0 : found.count,
    ids: new Set([...nodes.map(node => node.urn), ...edges.map(getEdgeId)]),
    part: { nodes, edges }
  };
}
