import type { TranslationBundle } from '@jupyterlab/translation';
import type { Run } from '../generated/api';
import { parseNotebookUrn } from '../model/urns';
import { formatWrittenData } from '../model/notebooks/written-data';
import { getLastPart } from './labels';

const WRITING: ReadonlySet<string> = new Set(['write', 'both']);

/**
 * Returns the name of a run: its step or the first comment of its cell, else the title of its program, such as the
 * heading above the cell, else what it wrote.
 *
 * Runs that started outside of cells have the name of their program.
 */
export function getRunName(run: Run, trans: TranslationBundle): string {
  const { facts } = run;
  const name = [facts['step'], facts.comment, run.title].find(text => typeof text === 'string' && text !== '');
  if (name !== undefined) {
    return String(name);
  }
  if (facts.cellId === undefined) {
    const place = parseNotebookUrn(run.program);
    // The program is renamed with its notebook; the facts stay as they were recorded.
    return place !== null && place.cell === undefined ? place.path : (facts.notebook ?? run.name);
  }
  const written = formatWrittenData(run.accesses.filter(({ mode }) => WRITING.has(mode)).map(({ data }) => data));
  if (written !== '') {
    return written;
  }
  return facts.executionCount === undefined
    ? trans.__('Cell %1', facts.cellId)
    : trans.__('Cell [%1]', facts.executionCount);
}

/** Returns the place of a cell's run: its notebook and execution number; empty for other runs. */
export function getRunPlace({ program, facts }: Run): string {
  const path = parseNotebookUrn(program)?.path ?? facts.notebook;
  if (path === undefined || facts.cellId === undefined) {
    return '';
  }
  const file = getLastPart(path);
  return facts.executionCount === undefined ? file : `${file} [${facts.executionCount}]`;
}
