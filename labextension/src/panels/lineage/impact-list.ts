import type { LineageImpact } from '../../generated/api';
import { findLastTimes } from '../../lineage/colouring';
import type { INode } from '../../lineage/graph';
import { mergeAnswers } from '../../lineage/graph';
import { formatCsv } from '../../model/csv';
import type { ICatalog, IInterval } from '../../tokens';
import { readNodeLabels } from './node-labels';

/** An entity that a change would affect. */
export interface IImpactEntity {
  node: INode;
  owner: string;
  /** When it was written or ran last; empty if unknown. */
  last: string;
}

/** The entities that a change would affect, with their counts. */
export interface IImpact {
  counts: LineageImpact;
  /** By type, and then by distance and name. */
  entities: readonly IImpactEntity[];
}

const MAX_LEVELS = 20;
const MAX_RELATIONS = 10_000;

/** Reads what is downstream of an entity, with owners and ages. */
export async function readImpact(
  catalog: ICatalog,
  of: { urn: string } & IInterval & { asOf?: string }
): Promise<IImpact> {
  const query = { ...of, direction: 'downstream' as const, levels: MAX_LEVELS, limit: MAX_RELATIONS };
  const [counts, answer] = await Promise.all([
    catalog.call('readLineageImpact', of),
    catalog.call('readLineage', query)
  ]);
  const graph = mergeAnswers([answer]);
  const nodes = graph.nodes.filter(node => node.level > 0);
  const labels = await readNodeLabels(
    catalog,
    nodes.map(node => node.urn)
  );
  const last = findLastTimes(graph, new Date().toISOString());
  const entities = nodes
    .map(node => ({ node, owner: labels.get(node.urn)?.owner ?? '', last: last.get(node.urn) ?? '' }))
    .sort((a, b) => (a.node.type === b.node.type ? a.node.level - b.node.level : a.node.type < b.node.type ? -1 : 1));
  return { counts, entities };
}

/** Formats the entities as CSV, with a line of names. */
export function formatImpactCsv(entities: readonly IImpactEntity[]): string {
  const lines = entities.map(({ node, owner, last }) => [
    node.type,
    node.namespace,
    node.title ?? node.name,
    String(node.level),
    owner,
    last,
    node.urn
  ]);
  return formatCsv([['type', 'namespace', 'name', 'level', 'owner', 'last', 'urn'], ...lines]);
}
