import type { TimeseriesValues } from '../../generated/api';

/** What is known of a column; what is not told is undefined. */
export interface IColumnFigures {
  path: string;
  nulls: number | undefined;
  /** From 0 to 1. */
  nullShare: number | undefined;
  distinct: number | undefined;
  least: string | undefined;
  most: string | undefined;
  mean: string | undefined;
  deviation: string | undefined;
  spread: ISpread | undefined;
}

/** A quarter of the values is below `low`, half of them below `middle`, and a quarter above `high`. */
export interface ISpread {
  low: string;
  middle: string;
  high: string;
  /** Where those three are between the least value and the most, from 0 to 1. */
  places: readonly [number, number, number];
}

/** How a dataset looked at a moment. */
export interface IProfile {
  time: string;
  rows: number | undefined;
  bytes: number | undefined;
  /** How the rows were chosen, where it was not all of them. */
  part: string | undefined;
  columns: readonly IColumnFigures[];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function counted(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function worded(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number, or a moment, as a place on a line; NaN where a text is neither. */
function placed(text: string): number {
  const number = Number(text);
  return Number.isNaN(number) ? Date.parse(text) : number;
}

function spread(told: Record<string, unknown>): ISpread | undefined {
  const quantiles = Array.isArray(told['quantiles']) ? told['quantiles'].map(record) : [];
  const at = (rank: number): string | undefined =>
    worded(quantiles.find(one => Number(one['quantile']) === rank)?.['value']);
  const [low, middle, high] = [at(0.25), at(0.5) ?? worded(told['median']), at(0.75)];
  const [least, most] = [worded(told['min']), worded(told['max'])];
  if (low === undefined || middle === undefined || high === undefined || least === undefined || most === undefined) {
    return undefined;
  }
  const from = placed(least);
  const length = placed(most) - from;
  // Sketches are not exact: a quantile may lie a little outside.
  const place = (text: string): number => Math.min(Math.max((placed(text) - from) / length, 0), 1);
  const places = [place(low), place(middle), place(high)] as const;
  return length > 0 && places.every(Number.isFinite) ? { low, middle, high, places } : undefined;
}

function column(value: unknown): IColumnFigures | null {
  const told = record(value);
  const path = worded(told['fieldPath']);
  if (path === undefined) {
    return null;
  }
  const share = counted(told['nullProportion']);
  return {
    path,
    nulls: counted(told['nullCount']),
    nullShare: share === undefined ? undefined : Math.min(Math.max(share, 0), 1),
    distinct: counted(told['uniqueCount']),
    least: worded(told['min']),
    most: worded(told['max']),
    mean: worded(told['mean']),
    deviation: worded(told['stdev']),
    spread: spread(told)
  };
}

/** The newest profile; null where there is none. */
export function newestProfile(told: TimeseriesValues): IProfile | null {
  const newest = told.values[0];
  if (!newest) {
    return null;
  }
  const value = record(newest.value);
  const fields: unknown = value['fieldProfiles'];
  const part = record(value['partitionSpec']);
  return {
    time: newest.time,
    rows: counted(value['rowCount']),
    bytes: counted(value['sizeInBytes']),
    part: part['type'] === 'FULL_TABLE' ? undefined : worded(part['partition']),
    columns: (Array.isArray(fields) ? fields : []).map(column).filter(one => one !== null)
  };
}
