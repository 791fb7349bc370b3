import type { TranslationBundle } from '@jupyterlab/translation';
import { getDataLabel } from '../components/data-label';
import { formatTime, getLastPart } from '../components/labels';
import type { CellState, ChangedInput } from '../model/notebooks/cell-states';
import { parseVariable } from '../model/notebooks/variable';
import { parseNotebookUrn, shortenUrn } from '../model/urns';

/** Returns the label of a cell of the current notebook by its id: its prompt such as `[3]`; undefined if it has none. */
export type CellLabels = (id: string) => string | undefined;

/** Returns the name of the program of a change: a cell of the same notebook, another notebook, or its title. */
function describeProgram(
  program: string,
  change: ChangedInput,
  path: string,
  labels: CellLabels,
  trans: TranslationBundle
): string {
  const place = parseNotebookUrn(program);
  if (place !== null && place.path !== path) {
    return getLastPart(place.path);
  }
  if (place?.cell !== undefined) {
    const label = labels(place.cell);
    return label === undefined ? (change.title ?? trans.__('another cell')) : trans.__('the cell %1', label);
  }
  return change.title ?? shortenUrn(program);
}

/** Describes in one sentence why an input makes a cell of the notebook at `path` stale. */
function describeChange(change: ChangedInput, path: string, labels: CellLabels, trans: TranslationBundle): string {
  const { data, program, written } = change;
  const variable = parseVariable(data);
  const name = getDataLabel(data);
  const writer = program === null ? null : describeProgram(program, change, path, labels, trans);
  if (written === null) {
    return writer === null
      ? trans.__('%1 comes from a stale cell.', name)
      : trans.__('%1 comes from %2, which is stale.', name, writer);
  }
  const time = formatTime(written);
  if (writer === null) {
    return trans.__('%1 was written again on %2.', name, time);
  }
  return variable === null
    ? trans.__('%1 was written by %2 on %3.', name, writer, time)
    : trans.__('%1 was set again by %2 on %3.', name, writer, time);
}

/** Describes why a cell of the notebook at `path` is stale, a sentence for each input. */
export function describeChanges(
  { changes }: CellState,
  path: string,
  labels: CellLabels,
  trans: TranslationBundle
): string[] {
  return changes.map(change => describeChange(change, path, labels, trans));
}
