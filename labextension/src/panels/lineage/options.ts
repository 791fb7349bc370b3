import type { Lineage } from '../../generated/api';
import type { Colouring } from '../../lineage/colouring';
import type { Grouping } from '../../lineage/grouping';
import type { Interval } from '../../model/interval';
import { toUtc } from '../../model/interval';

/** What a lineage graph shows, and how. */
export interface ILineageOptions {
  direction: Lineage['direction'];
  levels: number;
  interval: Interval;
  /** A local time in the format of an input, for the state of the catalog at that time; empty for now. */
  asOf: string;
  /** A local time to compare with; empty for no comparison. */
  since: string;
  /** Whether all tables show their columns. */
  columns: boolean;
  /** Whether edges are drawn from columns that only control which rows there are. */
  control: boolean;
  /** Whether the variables are drawn through which data flows from cell to cell. */
  variables: boolean;
  grouping: Grouping;
  colouring: Colouring;
  /** The id of the marks of an extension; empty for none. */
  decoration: string;
}

export const DEFAULT_OPTIONS: ILineageOptions = {
  direction: 'both',
  levels: 1,
  interval: { kind: 'all' },
  asOf: '',
  since: '',
  columns: false,
  control: true,
  variables: false,
  grouping: 'none',
  colouring: 'none',
  decoration: ''
};

/** Formats a time as local time for an input, with milliseconds. */
export function toLocalTime(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, -1);
}

/** Quotes a name for a line of the magic, if necessary. */
function quote(name: string): string {
  return /[\s"'\\]/.test(name) ? JSON.stringify(name) : name;
}

/** Returns the line of the magic that shows the same part of the lineage in a notebook. */
export function formatMagic(urn: string, options: ILineageOptions): string {
  const { direction, levels, interval, columns } = options;
  const words = ['%metadata lineage', quote(urn), '--levels', String(levels)];
  if (direction === 'upstream' || direction === 'downstream') {
    words.push('--direction', direction);
  }
  const starts = { hour: 'now-1h', day: 'now-1d', week: 'now-7d', all: undefined };
  const start = interval.kind === 'custom' ? toUtc(interval.from) : starts[interval.kind];
  const end = interval.kind === 'custom' ? toUtc(interval.to) : undefined;
  words.push(...(start === undefined ? [] : ['--start', start]), ...(end === undefined ? [] : ['--end', end]));
  return [...words, ...(columns ? ['--columns'] : [])].join(' ');
}

/** Returns the options with which an answer of the server was requested. */
export function getOptionsOf(answer: Lineage): ILineageOptions {
  const { direction, levels, start, end, asOf, columns } = answer;
  const toLocal = (time: string | null): string => (time === null ? '' : toLocalTime(Date.parse(time)));
  return {
    ...DEFAULT_OPTIONS,
    direction,
    levels,
    interval:
      start === null && end === null ? { kind: 'all' } : { kind: 'custom', from: toLocal(start), to: toLocal(end) },
    asOf: toLocal(asOf),
    columns: columns.length > 0
  };
}
