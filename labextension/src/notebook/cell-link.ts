import { URLExt } from '@jupyterlab/coreutils';
import { createLink } from '../links';
import type { ICellPlace } from '../model/notebooks/cell-place';

const [NOTEBOOK, CELL, RUN] = ['colophon-notebook', 'colophon-cell', 'colophon-run'] as const;

/** The parameters of a link to a cell. */
export const CELL_PARAMETERS = [NOTEBOOK, CELL, RUN] as const;

/** Creates a link to the page of a notebook in Notebook 7, which selects the cell. */
export function createCellLink({ path = '', cell = '', run = '' }: ICellPlace): string {
  return createLink(`notebooks/${URLExt.encodeParts(path)}`, { [NOTEBOOK]: path, [CELL]: cell, [RUN]: run });
}

/** Reads the cell of a link. */
export function toCellPlace(parameters: Record<(typeof CELL_PARAMETERS)[number], string>): ICellPlace {
  return {
    path: parameters[NOTEBOOK] || undefined,
    cell: parameters[CELL] || undefined,
    run: parameters[RUN] || undefined
  };
}
