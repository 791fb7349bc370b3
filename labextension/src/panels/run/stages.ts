import type { Run } from '../../generated/api';

/** What became of a stage of a pipeline; what is not told is undefined. */
export interface IStage {
  name: string;
  status: string;
  /** Rows that went in, and that came out. */
  taken: number | undefined;
  given: number | undefined;
  ms: number | undefined;
  tries: number | undefined;
}

/** The facts of a run, sorted for its page. */
export interface ISortedFacts {
  stages: readonly IStage[];
  log: string;
  source: string;
  /** Those that have no place of their own. */
  others: Run['facts'];
}

/** `stage.<name>.<figure>`, as docs/pipelines.md has them; a name may have points in it. */
const FIGURE = /^stage\.(.+)\.(status|in|rows|ms|tries|at)$/s;

/** Other facts that have a place of their own. */
const PLACED: ReadonlySet<string> = new Set(['log', 'source', 'missingLineage']);

type Figures = Record<string, unknown>;

function counted(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function stageOf(name: string, { status, in: taken, rows: given, ms, tries }: Figures): IStage {
  return {
    name,
    status: textOf(status),
    taken: counted(taken),
    given: counted(given),
    ms: counted(ms),
    tries: counted(tries)
  };
}

/**
 * Takes out of the facts of a run what its page shows in places of their own; stages are in the order of their work.
 *
 * A process that was killed could not say what became of the stage that was its last.
 */
export function sortedFacts({ facts, status: ending }: Pick<Run, 'facts' | 'status'>): ISortedFacts {
  const found = new Map<string, Figures>();
  const others: Run['facts'] = {};
  for (const [name, value] of Object.entries(facts)) {
    const [, stage, figure] = FIGURE.exec(name) ?? [];
    if (stage !== undefined && figure !== undefined) {
      found.set(stage, { ...found.get(stage), [figure]: value });
    } else if (!PLACED.has(name)) {
      others[name] = value;
    }
  }
  const stages = [...found]
    .sort(([, one], [, other]) => (counted(one['at']) ?? 0) - (counted(other['at']) ?? 0))
    .map(([name, told]) => stageOf(name, told))
    .map(stage => (stage.status === 'running' ? { ...stage, status: ending } : stage));
  return { stages, log: textOf(facts['log']), source: textOf(facts.source), others };
}
