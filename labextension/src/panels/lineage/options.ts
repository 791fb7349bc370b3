import type { Lineage } from '../../generated/api';
import type { Colouring } from '../../lineage/colouring';
import { COLOURINGS } from '../../lineage/colouring';
import type { Grouping } from '../../lineage/grouping';
import { GROUPINGS } from '../../lineage/grouping';
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
  grouping: 'none',
  colouring: 'none',
  decoration: ''
};

const DIRECTIONS: readonly ILineageOptions['direction'][] = ['both', 'upstream', 'downstream', 'undirected'];
const INTERVALS = ['all', 'hour', 'day', 'week'] as const;
const MAX_LEVELS = 20;

/** Formats a time as local time for an input, with milliseconds. */
export function toLocalTime(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, -1);
}

/** Formats options as a text for a link; defaults are omitted, and times do not depend on the time zone. */
export function formatView(options: ILineageOptions): string {
  const { interval } = options;
  const isCustom = interval.kind === 'custom';
  const members: Record<string, string | undefined> = {
    direction: options.direction,
    levels: String(options.levels),
    interval: isCustom ? undefined : interval.kind,
    from: isCustom ? toUtc(interval.from) : undefined,
    to: isCustom ? toUtc(interval.to) : undefined,
    asOf: toUtc(options.asOf),
    since: toUtc(options.since),
    columns: options.columns ? 'shown' : undefined,
    control: options.control ? undefined : 'hidden',
    group: options.grouping,
    colour: options.colouring,
    marks: options.decoration
  };
  const isDefault = (value: string | undefined): boolean => ['', 'none', 'all', undefined].includes(value);
  return new URLSearchParams(
    Object.entries(members).flatMap(([name, value]) => (isDefault(value) ? [] : [[name, value ?? '']]))
  ).toString();
}

function choose<T extends string>(text: string | null, values: readonly T[]): T | undefined {
  return values.find(value => value === text);
}

function readTime(text: string | null): string {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? '' : toLocalTime(time);
}

/** Parses the text of a link; what it does not name has its default, and invalid values are ignored. */
export function parseView(text: string): ILineageOptions {
  const view = new URLSearchParams(text);
  const levels = Number(view.get('levels'));
  const [from, to] = [readTime(view.get('from')), readTime(view.get('to'))];
  return {
    direction: choose(view.get('direction'), DIRECTIONS) ?? DEFAULT_OPTIONS.direction,
    levels: Number.isInteger(levels) && levels >= 1 && levels <= MAX_LEVELS ? levels : DEFAULT_OPTIONS.levels,
    interval:
      from !== '' || to !== ''
        ? { kind: 'custom', from, to }
        : { kind: choose(view.get('interval'), INTERVALS) ?? 'all' },
    asOf: readTime(view.get('asOf')),
    since: readTime(view.get('since')),
    columns: view.get('columns') === 'shown',
    control: view.get('control') !== 'hidden',
    grouping: choose(view.get('group'), GROUPINGS) ?? 'none',
    colouring: choose(view.get('colour'), COLOURINGS) ?? 'none',
    decoration: view.get('marks') ?? ''
  };
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
