import type { Run } from '../../generated/api';

/** The result of a pipeline stage; unknown members are undefined. */
export interface IStage {
  name: string;
  status: string;
  /** Numbers of input and output rows. */
  rowsIn: number | undefined;
  rowsOut: number | undefined;
  /** Number of rows that a stage `wrangle` has left out. */
  rejected: number | undefined;
  ms: number | undefined;
  attempts: number | undefined;
}

/** The facts of a run, grouped for its page. */
export interface IRunFacts {
  stages: readonly IStage[];
  log: string;
  source: string;
  /** Facts that are not shown elsewhere. */
  others: Run['facts'];
}

/** `stage.<name>.<figure>`, described in docs/pipelines.md; a name may contain dots. */
const FIGURE = /^stage\.(.+)\.(status|in|rows|rejected|ms|tries|at)$/s;

/** Other facts that are shown elsewhere on the page. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['log', 'source', 'missingLineage']);

type Figures = Record<string, unknown>;

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toStage(name: string, { status, in: rowsIn, rows: rowsOut, rejected, ms, tries }: Figures): IStage {
  return {
    name,
    status: toText(status),
    rowsIn: toCount(rowsIn),
    rowsOut: toCount(rowsOut),
    rejected: toCount(rejected),
    ms: toCount(ms),
    attempts: toCount(tries)
  };
}

/**
 * Groups the facts of a run for its page; stages are in order.
 *
 * The last stage of a killed process is still `running`; it gets the status of the run.
 */
export function sortFacts({ facts, status: runStatus }: Pick<Run, 'facts' | 'status'>): IRunFacts {
  const byStage = new Map<string, Figures>();
  const others: Run['facts'] = {};
  for (const [name, value] of Object.entries(facts)) {
    const [, stage, figure] = FIGURE.exec(name) ?? [];
    if (stage !== undefined && figure !== undefined) {
      byStage.set(stage, { ...byStage.get(stage), [figure]: value });
    } else if (!SHOWN_ELSEWHERE.has(name)) {
      others[name] = value;
    }
  }
  const stages = [...byStage]
    .sort(([, left], [, right]) => (toCount(left['at']) ?? 0) - (toCount(right['at']) ?? 0))
    .map(([name, figures]) => toStage(name, figures))
    .map(stage => (stage.status === 'running' ? { ...stage, status: runStatus } : stage));
  return { stages, log: toText(facts['log']), source: toText(facts.source), others };
}
