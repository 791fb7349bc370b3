import type { TranslationBundle } from '@jupyterlab/translation';
import type { GroupBy, Measure, Status } from './report';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Formats a duration with its largest units. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) {
    return `${ms} ms`;
  }
  if (ms < MINUTE_MS) {
    return `${(ms / SECOND_MS).toFixed(1)} s`;
  }
  const minutes = Math.round(ms / MINUTE_MS);
  return ms < HOUR_MS ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats the value of a column; empty if it is unknown. */
export function formatValue(column: string, value: string | number | null | undefined): string {
  if (value === null || value === undefined) {
    return '';
  }
  if (typeof value === 'string') {
    return value;
  }
  if (column === 'successShare') {
    return `${(100 * value).toFixed(1)} %`;
  }
  return column.endsWith('DurationMs') ? formatDuration(value) : value.toLocaleString();
}

/** Formats a time in the time zone of the user. */
export function formatTime(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

export function getStatusLabel(status: Status, trans: TranslationBundle): string {
  const labels: Record<Status, string> = {
    succeeded: trans.__('succeeded'),
    failed: trans.__('failed'),
    killed: trans.__('killed'),
    running: trans.__('running')
  };
  return labels[status];
}

/** Returns the title of a column of a report. */
export function getColumnLabel(column: GroupBy | Measure, trans: TranslationBundle): string {
  const labels: Record<GroupBy | Measure, string> = {
    program: trans.__('Program'),
    namespace: trans.__('Namespace'),
    user: trans.__('User'),
    type: trans.__('Type'),
    status: trans.__('Status'),
    day: trans.__('Day (UTC)'),
    hour: trans.__('Hour (UTC)'),
    runs: trans.__('Runs'),
    failed: trans.__('Failed'),
    successShare: trans.__('Success'),
    totalDurationMs: trans.__('Total duration'),
    minDurationMs: trans.__('Shortest'),
    averageDurationMs: trans.__('Average'),
    maxDurationMs: trans.__('Longest'),
    p95DurationMs: trans.__('95 % within')
  };
  return labels[column];
}
