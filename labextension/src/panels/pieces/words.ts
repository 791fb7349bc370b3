import type { TranslationBundle } from '@jupyterlab/translation';
import type { Run } from '../../generated/api';

/** What a person calls a type of entity. */
export function typeWord(type: string, trans: TranslationBundle): string {
  switch (type) {
    case 'dataset':
      return trans.__('dataset');
    case 'dataJob':
      return trans.__('program');
    case 'dataFlow':
      return trans.__('flow');
    case 'namespace':
      return trans.__('namespace');
    case 'custom':
      return trans.__('other entity');
    default:
      return type;
  }
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

/** A moment in the reader's own time zone; the text itself if it is none. */
export function moment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleString();
}

/** How long something took. */
export function duration(start: string, end: string | null): string {
  const milliseconds = end === null ? NaN : Date.parse(end) - Date.parse(start);
  if (Number.isNaN(milliseconds)) {
    return '';
  }
  if (milliseconds < 1000) {
    return `${milliseconds} ms`;
  }
  const seconds = milliseconds / 1000;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
