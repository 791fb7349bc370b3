import type { IInterval } from '../tokens';

/** An interval of time as a person chooses it; `from` and `to` are local times as an input gives them. */
export type Interval = { kind: 'all' | 'hour' | 'day' | 'week' } | { kind: 'custom'; from: string; to: string };

const STARTS = { all: undefined, hour: 'now-1h', day: 'now-1d', week: 'now-7d' } as const;

/** A local time, as an input gives it, as the API takes it; undefined where it is open or unreadable. */
export function utc(local: string): string | undefined {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The interval as the API takes it; what is open or unreadable is left out. */
export function intervalBounds(interval: Interval): IInterval {
  const start = interval.kind === 'custom' ? utc(interval.from) : STARTS[interval.kind];
  const end = interval.kind === 'custom' ? utc(interval.to) : undefined;
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}

/** Whether it ends before it begins. */
export function isReversed(interval: Interval): boolean {
  const { start, end } = interval.kind === 'custom' ? intervalBounds(interval) : {};
  return start !== undefined && end !== undefined && start > end;
}
