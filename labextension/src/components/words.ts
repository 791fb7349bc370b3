import type { TranslationBundle } from '@jupyterlab/translation';
import type { Run } from '../generated/api';
import { columnOf, shortUrn } from '../model/urns';

/** What a person calls a type of entity. */
export function typeWord(type: string, trans: TranslationBundle): string {
  switch (type) {
    case 'dataset':
      return trans.__('dataset');
    case 'dataJob':
      return trans.__('program');
    case 'dataFlow':
      return trans.__('flow');
    case 'schemaField':
      return trans.__('column');
    case 'namespace':
      return trans.__('namespace');
    case 'custom':
      return trans.__('other entity');
    default:
      return type;
  }
}

/** Of which table a column is, to stand behind its name; nothing for what is no column. */
export function tableWords(urn: string, trans: TranslationBundle): string {
  const column = columnOf(urn);
  return column === null ? '' : trans.__('of %1', shortUrn(column.table));
}

/** What a person calls the state of a run. */
export function statusWord(status: Run['status'], trans: TranslationBundle): string {
  switch (status) {
    case 'running':
      return trans.__('running');
    case 'succeeded':
      return trans.__('succeeded');
    case 'failed':
      return trans.__('failed');
    case 'killed':
      return trans.__('stopped');
  }
}

/** What a person calls the state of a stage of a pipeline; the text itself if it is none. */
export function stageWord(status: string, trans: TranslationBundle): string {
  switch (status) {
    case 'running':
    case 'succeeded':
    case 'failed':
    case 'killed':
      return statusWord(status, trans);
    case 'waiting':
      return trans.__('not begun');
    default:
      return status;
  }
}

/** The last part of a path, by which people know a file; whatever is no path as it is. */
export function lastPart(name: string): string {
  const last = name
    .split('/')
    .filter(part => part !== '')
    .at(-1);
  return last ?? name;
}

/** A moment in the reader's own time zone; the text itself if it is none. */
export function moment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleString();
}

/** How long something took. */
export function duration(start: string, end: string | null): string {
  return span(end === null ? NaN : Date.parse(end) - Date.parse(start));
}

/** So many milliseconds in words; nothing where it is no number. */
export function span(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) {
    return '';
  }
  if (milliseconds < 1000) {
    return `${milliseconds} ms`;
  }
  const seconds = milliseconds / 1000;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
