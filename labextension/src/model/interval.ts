import type { IInterval } from '../tokens';

/** A time interval as chosen by the user; `from` and `to` are local times in the format of an input. */
export type Interval = { kind: 'all' | 'hour' | 'day' | 'week' } | { kind: 'custom'; from: string; to: string };

const STARTS = { all: undefined, hour: 'now-1h', day: 'now-1d', week: 'now-7d' } as const;

/** Converts a local time of an input for the API; undefined if it is empty or invalid. */
export function toUtc(local: string): string | undefined {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Converts an interval for the API; empty or invalid bounds are omitted. */
export function toBounds(interval: Interval): IInterval {
  const start = interval.kind === 'custom' ? toUtc(interval.from) : STARTS[interval.kind];
  const end = interval.kind === 'custom' ? toUtc(interval.to) : undefined;
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}

/** Whether an interval ends before it starts. */
export function isReversed(interval: Interval): boolean {
  const { start, end } = interval.kind === 'custom' ? toBounds(interval) : {};
  return start !== undefined && end !== undefined && start > end;
}
