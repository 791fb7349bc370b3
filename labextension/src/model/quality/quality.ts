import type { Entity } from '../../generated/api';

/** The aspect with what is expected of the data of a dataset. */
export const EXPECTATIONS_ASPECT = 'expectations';

/** The aspect with the newest results of its checks. */
export const QUALITY_ASPECT = 'quality';

/** What can be expected of data; `other` is a check of another tool. */
export type ExpectationKind =
  'notNull' | 'unique' | 'range' | 'set' | 'pattern' | 'freshness' | 'rowCount' | 'columns' | 'other';

/** A number, text or truth value in the data. */
export type Scalar = string | number | boolean;

/** A column that a dataset is expected to have. */
export interface IExpectedColumn {
  name: string;
  type?: string;
}

/** How serious a failure is. */
export type Severity = 'error' | 'warning';

/** What is expected of the data. */
export interface IExpectation {
  kind: ExpectationKind;
  column?: string;
  description?: string;
  /** By default `error`. */
  severity?: Severity;
  /** The tool that it was imported from. */
  origin?: string;
  /** The share of rows that may fail. */
  tolerance?: number;
  min?: number | string;
  max?: number | string;
  values?: Scalar[];
  pattern?: string;
  /** The greatest age: a duration of ISO 8601. */
  maxAge?: string;
  columns?: IExpectedColumn[];
  /** The name of the check in another tool. */
  name?: string;
}

/** The result of a check; `error` if it could not be evaluated. */
type ResultStatus = 'passed' | 'failed' | 'error';

/** Where a check was made. */
export interface IQualitySource {
  kind: string;
  /** The URN of the run. */
  run?: string;
  name?: string;
}

/** The newest result of an expectation. */
export interface IQualityResult {
  kind?: ExpectationKind;
  column?: string;
  name?: string;
  severity?: Severity;
  status: ResultStatus;
  /** In milliseconds since 1970. */
  time: number;
  /** The number of rows that fail. */
  failing?: number;
  rows?: number;
  observed?: string;
  samples?: string[];
  message?: string;
  source?: IQualitySource;
  /** The newest results with this one, newest first. */
  history?: { time: number; status: ResultStatus }[];
}

/** An expectation with its newest result; one of them may be missing. */
export interface ICheck {
  id: string;
  /** Null for results of jobs, which have no expectation in the catalog. */
  expectation: IExpectation | null;
  /** Null if the expectation was not checked since it was written. */
  result: IQualityResult | null;
}

/** The quality of a dataset: `warning` if only warnings failed, `unknown` if it was not checked. */
export type QualityStatus = 'failing' | 'warning' | 'passing' | 'unknown';

/** The numbers of checks by their newest results. */
export interface IQualitySummary {
  status: QualityStatus;
  passed: number;
  failed: number;
  errors: number;
  /** Failures and errors of the severity warning. */
  warnings: number;
  unchecked: number;
}

type Aspects = Pick<Entity, 'aspects'>;

/** The result of a check with its severity; null if it was not checked. */
export type Outcome = ResultStatus | 'warning' | null;

/** The order of the checks: what needs attention comes first. */
const ORDER: readonly Outcome[] = ['failed', 'error', 'warning', null, 'passed'];

/** Returns the outcome of a check: a failure of the severity warning is a warning. */
export function getOutcome({ expectation, result }: ICheck): Outcome {
  const severity = (expectation ?? result)?.severity;
  return result !== null && result.status !== 'passed' && severity === 'warning' ? 'warning' : (result?.status ?? null);
}

/** Returns the expectations of a dataset by their ids. */
function getExpectations({ aspects }: Aspects): Readonly<Record<string, IExpectation>> {
  const { expectations }: { expectations?: Record<string, IExpectation> } = aspects[EXPECTATIONS_ASPECT]?.value ?? {};
  return expectations ?? {};
}

/** Lists the expectations of a dataset and the results of its checks: failures first, then by id. */
export function listChecks(entity: Aspects): ICheck[] {
  const expectations = getExpectations(entity);
  const { results = {} }: { results?: Record<string, IQualityResult> } = entity.aspects[QUALITY_ASPECT]?.value ?? {};
  const ids = [...new Set([...Object.keys(expectations), ...Object.keys(results)])];
  const rank = (check: ICheck): number => ORDER.indexOf(getOutcome(check));
  return ids
    .map(id => ({ id, expectation: expectations[id] ?? null, result: results[id] ?? null }))
    .sort((left, right) => rank(left) - rank(right) || left.id.localeCompare(right.id));
}

function getStatus({ passed, failed, errors, warnings }: Omit<IQualitySummary, 'status'>): QualityStatus {
  if (failed + errors > 0) {
    return 'failing';
  }
  return warnings > 0 ? 'warning' : passed > 0 ? 'passing' : 'unknown';
}

/** Counts checks by their newest results; null without checks. */
export function summarizeChecks(checks: readonly ICheck[]): IQualitySummary | null {
  if (checks.length === 0) {
    return null;
  }
  const count = (outcome: Outcome): number => checks.filter(check => getOutcome(check) === outcome).length;
  const counts = {
    passed: count('passed'),
    failed: count('failed'),
    errors: count('error'),
    warnings: count('warning'),
    unchecked: count(null)
  };
  return { status: getStatus(counts), ...counts };
}
