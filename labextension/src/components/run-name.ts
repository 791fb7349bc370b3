import type { TranslationBundle } from '@jupyterlab/translation';
import type { Run } from '../generated/api';
import { parseNotebookUrn, shortenUrn } from '../model/urns';
import { getLastPart } from './labels';

/** Facts with the name of a cell, the most specific first. */
const NAMES = ['step', 'comment', 'heading'] as const;

/** How many written tables a name lists. */
const MOST_LISTED = 2;

function listWritten({ accesses }: Run): string[] {
  const written = accesses.filter(({ mode }) => mode === 'write' || mode === 'both');
  return [...new Set(written.map(({ data }) => getLastPart(shortenUrn(data))))];
}

/**
 * Returns the name of a run: that of its step, the first comment or the heading of its cell, else what it wrote.
 *
 * Runs that started outside of cells have the name of their program.
 */
export function getRunName(run: Run, trans: TranslationBundle): string {
  const { facts } = run;
  const name = NAMES.map(fact => facts[fact]).find(text => typeof text === 'string' && text !== '');
  if (name !== undefined) {
    return String(name);
  }
  if (facts.cellId === undefined) {
    return facts.notebook ?? run.name;
  }
  const written = listWritten(run);
  if (written.length > 0) {
    const listed = written.slice(0, MOST_LISTED).join(', ');
    return written.length > MOST_LISTED ? `→ ${listed}, …` : `→ ${listed}`;
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
