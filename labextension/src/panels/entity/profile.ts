import type { TimedValues } from '../../generated/api';

/** What is known of a column; what is not told is undefined. */
export interface IColumnFigures {
  path: string;
  nulls: number | undefined;
  /** From 0 to 1. */
  nullShare: number | undefined;
  distinct: number | undefined;
  least: string | undefined;
  most: string | undefined;
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
    most: worded(told['max'])
  };
}

/** The newest profile; null where there is none. */
export function newestProfile(told: TimedValues): IProfile | null {
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
