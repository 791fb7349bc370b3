import type { TranslationBundle } from '@jupyterlab/translation';
import { getQualityLabel } from '../../../components/quality';
import type { IDuration } from '../../../model/quality/duration';
import { parseDuration } from '../../../model/quality/duration';
import type { ExpectationKind, ICheck, IExpectation, IQualitySummary, Outcome } from '../../../model/quality/quality';

/** The number of values that a sentence names. */
const NAMED_VALUES = 8;

/** Returns the label of a kind of expectation. */
export function getKindLabel(kind: ExpectationKind, trans: TranslationBundle): string {
  return {
    notNull: trans.__('Values are not null'),
    unique: trans.__('Values are unique'),
    range: trans.__('Values are in a range'),
    set: trans.__('Values are in a list'),
    pattern: trans.__('Values match a regular expression'),
    freshness: trans.__('The newest value is recent'),
    rowCount: trans.__('Number of rows'),
    columns: trans.__('Columns of the dataset'),
    other: trans.__('Check of another tool')
  }[kind];
}

/** Returns the label of an outcome; null if there is none yet. */
export function getResultLabel(outcome: Outcome, trans: TranslationBundle): string {
  return outcome === null
    ? trans.__('never checked')
    : {
        passed: trans.__('passed'),
        failed: trans.__('failed'),
        error: trans.__('error'),
        warning: trans.__('warning')
      }[outcome];
}

/** Returns the mark of an outcome, which differs in its shape, too. */
export function getResultMark(outcome: Outcome): string {
  return outcome === null ? '○' : { passed: '✓', failed: '✗', error: '!', warning: '▲' }[outcome];
}

function formatDuration({ count, unit }: IDuration, trans: TranslationBundle): string {
  return {
    minutes: () => trans._n('%1 minute', '%1 minutes', count),
    hours: () => trans._n('%1 hour', '%1 hours', count),
    days: () => trans._n('%1 day', '%1 days', count)
  }[unit]();
}

function formatRange({ min, max }: IExpectation, trans: TranslationBundle): string {
  if (min !== undefined && max !== undefined) {
    return trans.__('between %1 and %2', String(min), String(max));
  }
  return min === undefined ? trans.__('at most %1', String(max)) : trans.__('at least %1', String(min));
}

/** Joins values to a list, of which only the first are named. */
function formatList(values: readonly string[], trans: TranslationBundle): string {
  const named = values.slice(0, NAMED_VALUES).join(', ');
  return values.length > NAMED_VALUES ? trans.__('%1 and %2 more', named, values.length - NAMED_VALUES) : named;
}

/** Returns a duration in words; one with years or months as it is written. */
function formatAge(maxAge: string, trans: TranslationBundle): string {
  const age = parseDuration(maxAge);
  return age === null ? maxAge : formatDuration(age, trans);
}

/** How each kind of expectation is described. */
const DESCRIPTIONS: Record<
  ExpectationKind,
  (expectation: IExpectation, column: string, trans: TranslationBundle) => string
> = {
  notNull: (_, column, trans) => trans.__('%1 is not null', column),
  unique: (_, column, trans) => trans.__('%1 is unique', column),
  range: (expectation, column, trans) => trans.__('%1 is %2', column, formatRange(expectation, trans)),
  set: ({ values = [] }, column, trans) => trans.__('%1 is one of: %2', column, formatList(values.map(String), trans)),
  pattern: ({ pattern = '' }, column, trans) => trans.__('%1 matches %2', column, pattern),
  freshness: ({ maxAge = '' }, column, trans) =>
    trans.__('the newest %1 is at most %2 old', column, formatAge(maxAge, trans)),
  rowCount: (expectation, _, trans) => trans.__('the number of rows is %1', formatRange(expectation, trans)),
  columns: ({ columns = [] }, _, trans) => {
    const names = columns.map(({ name, type }) => (type === undefined ? name : `${name} (${type})`));
    return trans.__('there are the columns %1', formatList(names, trans));
  },
  other: ({ name }, column, trans) =>
    [name ?? getKindLabel('other', trans), column].filter(part => part !== '').join(': ')
};

/** Returns what is expected, in a sentence without its end. */
function describeExpectation(expectation: IExpectation, trans: TranslationBundle): string {
  const { kind, column = '', tolerance } = expectation;
  const sentence = DESCRIPTIONS[kind](expectation, column, trans);
  if (tolerance === undefined || tolerance === 0) {
    return sentence;
  }
  const percent = (100 * tolerance).toLocaleString(undefined, { maximumSignificantDigits: 4 });
  return trans.__('%1 (up to %2 % of the rows may fail)', sentence, percent);
}

/** Returns what a check expects; a result of a job has only a name and a column. */
export function describeCheck({ id, expectation, result }: ICheck, trans: TranslationBundle): string {
  if (expectation !== null) {
    return describeExpectation(expectation, trans);
  }
  const { name = id, column } = result ?? {};
  return column === undefined ? name : `${name}: ${column}`;
}

/** Returns the quality of a dataset in words, with the numbers of checks. */
export function formatSummary(summary: IQualitySummary, trans: TranslationBundle): string {
  const { status, passed, failed, errors, warnings, unchecked } = summary;
  const counts = [
    failed > 0 ? trans.__('%1 failed', failed) : '',
    errors > 0 ? trans._n('%1 error', '%1 errors', errors) : '',
    warnings > 0 ? trans._n('%1 warning', '%1 warnings', warnings) : '',
    passed > 0 ? trans.__('%1 passed', passed) : '',
    unchecked > 0 ? trans.__('%1 never checked', unchecked) : ''
  ].filter(part => part !== '');
  return trans.__('%1: %2', getQualityLabel(status, trans), counts.join(', '));
}

/** Returns the label of the kind of place where a check was made. */
export function getSourceLabel(kind: string, trans: TranslationBundle): string {
  const labels: Record<string, string> = {
    cell: trans.__('a cell'),
    pipeline: trans.__('a pipeline'),
    crawl: trans.__('a crawl'),
    import: trans.__('an import'),
    openlineage: trans.__('a job'),
    program: trans.__('a program')
  };
  return labels[kind] ?? kind;
}
