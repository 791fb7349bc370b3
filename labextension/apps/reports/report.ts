/** The statuses of runs, in the order in which charts stack them. */
export const STATUSES = ['succeeded', 'running', 'killed', 'failed'] as const;
export type Status = (typeof STATUSES)[number];

/** What runs can be grouped by. */
export const GROUPS = ['program', 'namespace', 'user', 'type', 'status', 'day', 'hour'] as const;
export type GroupBy = (typeof GROUPS)[number];

/** What is measured of the runs of a group. */
export const MEASURES = [
  'runs',
  'failed',
  'successShare',
  'totalDurationMs',
  'minDurationMs',
  'averageDurationMs',
  'maxDurationMs',
  'p95DurationMs'
] as const;
export type Measure = (typeof MEASURES)[number];

/** What a report is about, as the application reads it. */
export interface IReportDefinition {
  name: string;
  interval: { last: string } | { from: string; to: string };
  filters: Partial<Record<'namespaces' | 'programs' | 'types' | 'users' | 'statuses', string[]>>;
  groupBy: GroupBy[];
  sort: Measure;
  schedule: string;
}

export type ReportRow = Record<string, string | number | null>;

/** The runs of a part of the interval, by their statuses. */
type TimelineBar = { startMs: number } & Record<Status, number>;

export interface IReport {
  fromMs: number;
  toMs: number;
  columns: string[];
  rows: ReportRow[];
  groups: number;
  truncated: boolean;
  summary: {
    runs: number;
    successShare: number | null;
    averageDurationMs: number | null;
    p95DurationMs: number | null;
    statuses: Record<Status, number>;
    namespaces: { namespace: string; runs: number }[];
    owners: { user: string; runs: number }[];
  };
  timeline: { widthMs: number; bars: TimelineBar[] };
}

export interface IReportedRun {
  run: string;
  program: string;
  programName: string;
  namespace: string;
  user: string;
  status: Status;
  startMs: number;
  durationMs: number | null;
}

export interface ISavedDefinition {
  id: string;
  definition: IReportDefinition;
  nextMs: number | null;
}

export interface IGeneratedReport {
  number: number;
  trigger: 'request' | 'schedule';
  status: 'succeeded' | 'failed';
  problem: string;
  generatedMs: number;
}
