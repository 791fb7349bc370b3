import type { IGraph } from '../../lineage/graph';
import type { ICatalog } from '../../tokens';

/** The most runs of one request. */
const PAGE = 200;

/** Reads the runs on the edges of a graph as events of OpenLineage, one a line. */
export async function readRunEvents(catalog: ICatalog, { edges }: IGraph): Promise<string> {
  const lines: string[] = [];
  let remaining = [...new Set(edges.flatMap(edge => edge.runs))];
  while (remaining.length > 0) {
    const body = { runs: remaining.slice(0, PAGE) };
    const answer = await catalog.call('exportRunEvents', {}, { body });
    lines.push(...answer.events.map(event => `${JSON.stringify(event)}\n`));
    remaining = [...answer.remaining, ...remaining.slice(PAGE)];
  }
  return lines.join('');
}
