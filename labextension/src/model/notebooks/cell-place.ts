import type { Run } from '../../generated/api';
import type { ICatalog } from '../../tokens';
import { parseNotebookUrn } from '../urns';

/** Where to find a cell: at least a path or a run. */
export interface ICellPlace {
  /** The path of the notebook, relative to the server's root. */
  path?: string | undefined;
  /** The id of the cell. */
  cell?: string | undefined;
  /** The URN of a run of the cell. */
  run?: string | undefined;
}

/** A cell, and a run of it if one is recorded. */
export interface IResolvedCell {
  path: string;
  cell: string | undefined;
  run: Run | null;
}

/** Returns the newest run of a cell; null if there is none or it cannot be read. */
async function readNewestRun(catalog: ICatalog, path: string, cell: string): Promise<Run | null> {
  const answer = await catalog.call('listCellRuns', { notebook: path }).catch(() => null);
  return answer?.runs.find(({ facts }) => facts.cellId === cell) ?? null;
}

/** Completes a place by what is recorded of its run; null if the run did not start in a notebook. */
export async function resolveCell(catalog: ICatalog, place: ICellPlace): Promise<IResolvedCell | null> {
  const { path, cell } = place;
  if (place.run === undefined) {
    return path === undefined ? null : { path, cell, run: cell ? await readNewestRun(catalog, path, cell) : null };
  }
  const run = await catalog.call('readRun', { urn: place.run });
  // The program is renamed with its notebook; the facts stay as they were recorded.
  const program = parseNotebookUrn(run.program);
  const notebook = path ?? program?.path ?? run.facts.notebook;
  return notebook === undefined ? null : { path: notebook, cell: cell ?? program?.cell ?? run.facts.cellId, run };
}
