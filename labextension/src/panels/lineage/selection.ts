import type { Run } from '../../generated/api';
import type { IColumn } from '../../lineage/columns';
import type { IColumnEdge, IEdge, INode } from '../../lineage/graph';
import { getEdgeId } from '../../lineage/graph';
import type { IScene } from '../../lineage/scene';
import type { CatalogProblem } from '../../model/problem';
import type { IImpact } from './impact-list';
import { isDataType } from '../../model/urns';

/** The selected node or edge, with its runs and columns. */
export interface ISelection {
  node: INode | null;
  edge: IEdge | null;
  /** Null until they are loaded. */
  runs: readonly Run[] | null;
  columns: readonly IColumnEdge[];
  /** The downstream entities of the node, once requested. */
  impact: IImpact | null;
  problem: CatalogProblem | null;
}

export const EMPTY_SELECTION: ISelection = {
  node: null,
  edge: null,
  runs: null,
  columns: [],
  impact: null,
  problem: null
};

/** A selection before its runs are loaded, and whose runs these are; null if it has none. */
export interface ISelected {
  selection: ISelection;
  runsOf: { data?: string; program?: string } | null;
}

/** Selects a node, with the edges of its columns, or of the locked one of them; null for a group. */
export function selectNode({ nodes, graph }: IScene, urn: string, column: IColumn | null): ISelected | null {
  const node = nodes.get(urn)?.node;
  if (!node || node.members) {
    return null;
  }
  const isOfNode = (edge: IColumnEdge): boolean => [edge.source, edge.target, edge.program].includes(urn);
  const isOfColumn = (edge: IColumnEdge): boolean =>
    (edge.source === urn && edge.sourceField === column?.field) ||
    (edge.target === urn && edge.targetField === column?.field);
  const columns = graph.columns.filter(column?.urn === urn ? isOfColumn : isOfNode);
  return {
    selection: { ...EMPTY_SELECTION, node, columns },
    runsOf: isDataType(node.type) ? { data: urn } : { program: urn }
  };
}

/** Whether an edge between columns belongs to an edge of the graph. */
function belongsToEdge(column: IColumnEdge, edge: IEdge, data: string, program: string): boolean {
  return edge.access === 'declared'
    ? column.program === null && column.source === edge.source && column.target === edge.target
    : column.program === program && (column.source === data || column.target === data);
}

/** Selects an edge, with the edges between its columns; null if there is none. */
export function selectEdge({ nodes, graph }: IScene, id: string): ISelected | null {
  const edge = graph.edges.find(other => getEdgeId(other) === id);
  if (!edge) {
    return null;
  }
  const ends = [edge.source, edge.target].flatMap(urn => nodes.get(urn)?.node ?? []);
  const [data, program] = isDataType(ends[0]?.type) ? [edge.source, edge.target] : [edge.target, edge.source];
  const columns = graph.columns.filter(column => belongsToEdge(column, edge, data, program));
  if (edge.through) {
    return { selection: { ...EMPTY_SELECTION, edge }, runsOf: { program: edge.target } };
  }
  // Declared lineage has no program, and therefore no runs; the edges of a group have those of many.
  const hasRuns = edge.access !== 'declared' && ends.every(node => !node.members);
  return {
    selection: { ...EMPTY_SELECTION, edge, columns, runs: hasRuns ? null : [] },
    runsOf: hasRuns ? { data, program } : null
  };
}
