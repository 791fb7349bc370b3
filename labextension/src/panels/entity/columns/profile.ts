import type { TimeseriesValues } from '../../../generated/api';

/** The statistics of a column; unknown ones are undefined. */
export interface IColumnStatistics {
  path: string;
  /** Whether its values are withheld, because the column is marked confidential. */
  isWithheld: boolean;
  nulls: number | undefined;
  /** From 0 to 1. */
  nullShare: number | undefined;
  distinct: number | undefined;
  min: string | undefined;
  max: string | undefined;
  mean: string | undefined;
  deviation: string | undefined;
  spread: ISpread | undefined;
  /** The heights of the bars, from 0 to 1. */
  histogram: readonly number[] | undefined;
}

/** The quartiles of the values: `low`, `middle` (the median) and `high`. */
export interface ISpread {
  low: string;
  middle: string;
  high: string;
  /** The positions of the quartiles between the minimum and the maximum, from 0 to 1. */
  positions: readonly [number, number, number];
}

/** The profile of a dataset at a point in time. */
export interface IProfile {
  time: string;
  rows: number | undefined;
  bytes: number | undefined;
  /** How the rows were selected, if not all of them. */
  partition: string | undefined;
  columns: readonly IColumnStatistics[];
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Converts a number or a time to a position; NaN for other texts. */
function toNumber(text: string): number {
  const number = Number(text);
  return Number.isNaN(number) ? Date.parse(text) : number;
}

function readSpread(statistics: Record<string, unknown>): ISpread | undefined {
  const quantiles = Array.isArray(statistics['quantiles']) ? statistics['quantiles'].map(toRecord) : [];
  const getQuantile = (rank: number): string | undefined =>
    toText(quantiles.find(quantile => Number(quantile['quantile']) === rank)?.['value']);
  const [low, middle, high] = [getQuantile(0.25), getQuantile(0.5) ?? toText(statistics['median']), getQuantile(0.75)];
  const [min, max] = [toText(statistics['min']), toText(statistics['max'])];
  if (low === undefined || middle === undefined || high === undefined || min === undefined || max === undefined) {
    return undefined;
  }
  const start = toNumber(min);
  const length = toNumber(max) - start;
  // Sketches are not exact: a quantile may be slightly out of range.
  const getPosition = (text: string): number => Math.min(Math.max((toNumber(text) - start) / length, 0), 1);
  const positions = [getPosition(low), getPosition(middle), getPosition(high)] as const;
  return length > 0 && positions.every(Number.isFinite) ? { low, middle, high, positions } : undefined;
}

/** Reads the heights of a histogram, relative to the highest bar. */
function readHistogram(statistics: Record<string, unknown>): readonly number[] | undefined {
  const { heights } = toRecord(statistics['histogram']);
  const numbers = (Array.isArray(heights) ? (heights as unknown[]) : []).filter(height => typeof height === 'number');
  const highest = Math.max(...numbers, 0);
  return highest > 0 ? numbers.map(height => height / highest) : undefined;
}

function readColumn(value: unknown, withheld: ReadonlySet<string>): IColumnStatistics | null {
  const statistics = toRecord(value);
  const path = toText(statistics['fieldPath']);
  if (path === undefined) {
    return null;
  }
  const share = toCount(statistics['nullProportion']);
  return {
    path,
    isWithheld: withheld.has(path),
    nulls: toCount(statistics['nullCount']),
    nullShare: share === undefined ? undefined : Math.min(Math.max(share, 0), 1),
    distinct: toCount(statistics['uniqueCount']),
    min: toText(statistics['min']),
    max: toText(statistics['max']),
    mean: toText(statistics['mean']),
    deviation: toText(statistics['stdev']),
    spread: readSpread(statistics),
    histogram: readHistogram(statistics)
  };
}

/** Reads the newest profile; null if there is none. */
export function readNewestProfile(page: TimeseriesValues): IProfile | null {
  const newest = page.values[0];
  if (!newest) {
    return null;
  }
  const value = toRecord(newest.value);
  const fields: unknown = value['fieldProfiles'];
  const partition = toRecord(value['partitionSpec']);
  const withheld = new Set(newest.withheld);
  return {
    time: newest.time,
    rows: toCount(value['rowCount']),
    bytes: toCount(value['sizeInBytes']),
    partition: partition['type'] === 'FULL_TABLE' ? undefined : toText(partition['partition']),
    columns: (Array.isArray(fields) ? fields : [])
      .map(field => readColumn(field, withheld))
      .filter(column => column !== null)
  };
}
