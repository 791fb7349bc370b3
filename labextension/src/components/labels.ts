import type { TranslationBundle } from '@jupyterlab/translation';
import type { Run } from '../generated/api';
import { parseColumnUrn, shortenUrn } from '../model/urns';

/** Returns the label of an entity type. */
export function getTypeLabel(type: string, trans: TranslationBundle): string {
  const labels = new Map([
    ['dataset', trans.__('dataset')],
    ['mlModel', trans.__('model')],
    ['dataJob', trans.__('program')],
    ['dataFlow', trans.__('application')],
    ['schemaField', trans.__('column')],
    ['namespace', trans.__('namespace')],
    ['custom', trans.__('other entity')],
    ['instance', trans.__('instance')],
    ['request', trans.__('request')],
    ['glossaryTerm', trans.__('glossary term')],
    ['glossaryNode', trans.__('term group')],
    ['corpuser', trans.__('user')],
    ['corpGroup', trans.__('team')]
  ]);
  return labels.get(type) ?? type;
}

/** Returns the table of a column as text that follows its name; empty for other entities. */
export function formatTable(urn: string, trans: TranslationBundle): string {
  const column = parseColumnUrn(urn);
  return column === null ? '' : trans.__('of %1', shortenUrn(column.table));
}

/** Returns the label of the status of a run. */
export function getStatusLabel(status: Run['status'], trans: TranslationBundle): string {
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

/** Returns the label of the status of a pipeline stage; an unknown status is returned unchanged. */
export function getStageLabel(status: string, trans: TranslationBundle): string {
  switch (status) {
    case 'running':
    case 'succeeded':
    case 'failed':
    case 'killed':
      return getStatusLabel(status, trans);
    case 'waiting':
      return trans.__('not started');
    default:
      return status;
  }
}

/** Returns the last part of a path; other names are returned unchanged. */
export function getLastPart(name: string): string {
  const last = name
    .split('/')
    .filter(part => part !== '')
    .at(-1);
  return last ?? name;
}

/** Formats a time in the time zone of the user; an invalid time is returned unchanged. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleString();
}

/** Formats the time between start and end; empty if there is no end. */
export function formatDuration(start: string, end: string | null): string {
  return formatMilliseconds(end === null ? NaN : Date.parse(end) - Date.parse(start));
}

/** Formats a number of milliseconds; empty for NaN. */
export function formatMilliseconds(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) {
    return '';
  }
  if (milliseconds < 1000) {
    return `${milliseconds} ms`;
  }
  const seconds = milliseconds / 1000;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
