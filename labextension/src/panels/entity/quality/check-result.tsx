import React from 'react';
import { formatTime } from '../../../components/labels';
import { RelativeTime } from '../../../components/relative-time';
import { usePulse } from '../../../components/use-pulse';
import type { ICheck, IQualityResult, IQualitySource } from '../../../model/quality/quality';
import { getOutcome } from '../../../model/quality/quality';
import type { IPage, IPageProps } from '../page';
import { describeCheck, getResultLabel, getResultMark, getSourceLabel } from './labels';

/** The place where the check was made, with a link to its cell or run if it is recorded. */
function Source({ page, source }: IPageProps & { source: IQualitySource }): React.JSX.Element {
  const { actions, trans } = page;
  const { kind, run, name } = source;
  const label = name ?? getSourceLabel(kind, trans);
  return run === undefined ? (
    <>{label}</>
  ) : (
    <button
      type="button"
      className="jp-Colophon-link"
      title={kind === 'cell' ? trans.__('Open the notebook at the cell') : run}
      onClick={() => (kind === 'cell' ? actions.openCell({ run }) : actions.openEntity(run))}
    >
      {label}
    </button>
  );
}

/** What was found: the failing rows, the value, and samples. */
function Found({ page, result }: IPageProps & { result: IQualityResult }): React.JSX.Element | null {
  const { trans } = page;
  const { status, failing, rows, observed, samples = [], message } = result;
  const counts =
    rows === undefined
      ? trans._n('%1 row fails', '%1 rows fail', failing ?? 0)
      : trans.__('%1 of %2 rows fail', (failing ?? 0).toLocaleString(), rows.toLocaleString());
  const parts = [
    failing === undefined || (failing === 0 && status === 'passed') ? '' : counts,
    observed === undefined ? '' : trans.__('found: %1', observed),
    samples.length === 0 ? '' : trans.__('for example: %1', samples.join(', ')),
    message ?? ''
  ].filter(part => part !== '');
  return parts.length === 0 ? null : <p>{parts.join(' · ')}</p>;
}

/** The newest results as marks, oldest first, with their numbers as text. */
function PastResults({ page, result }: IPageProps & { result: IQualityResult }): React.JSX.Element | null {
  const { trans } = page;
  const history = [...(result.history ?? [])].reverse();
  if (history.length < 2) {
    return null;
  }
  const passed = history.filter(({ status }) => status === 'passed').length;
  return (
    <span
      className="jp-Colophon-qualityHistory"
      role="img"
      aria-label={trans.__('%1 of the last %2 checks passed', passed, history.length)}
    >
      {history.map(({ time, status }) => (
        <span
          key={time}
          data-status={status}
          title={trans.__('%1: %2', formatTime(new Date(time).toISOString()), getResultLabel(status, trans))}
        >
          {getResultMark(status)}
        </span>
      ))}
    </span>
  );
}

/** When and where the newest result was found. */
function Provenance({ page, result }: IPageProps & { result: IQualityResult }): React.JSX.Element {
  const { trans } = page;
  const { source } = result;
  const time = new Date(result.time).toISOString();
  return (
    <p className="jp-Colophon-note">
      <span title={formatTime(time)}>
        {trans.__('checked')} <RelativeTime time={time} trans={trans} />
      </span>
      {source && (
        <>
          {' '}
          {trans.__('by')} <Source page={page} source={source} />
        </>
      )}{' '}
      <PastResults page={page} result={result} />
    </p>
  );
}

/** What a check expects, its newest result, and its actions. */
export function CheckResult(props: { page: IPage; check: ICheck; children: React.ReactNode }): React.JSX.Element {
  const { page, check, children } = props;
  const { trans } = page;
  const { expectation, result } = check;
  const outcome = getOutcome(check);
  const pulse = usePulse<HTMLDivElement>(result?.time);
  return (
    <div className="jp-Colophon-qualityCheck" data-status={outcome ?? 'unchecked'} ref={pulse}>
      <span className="jp-Colophon-qualityCheckMark" aria-hidden="true">
        {getResultMark(outcome)}
      </span>
      <div>
        <p>
          <b>{getResultLabel(outcome, trans)}</b> <span title={check.id}>{describeCheck(check, trans)}</span>
          {outcome === null && expectation?.severity === 'warning' && (
            <span className="jp-Colophon-note"> {trans.__('a failure is a warning')}</span>
          )}
          {expectation?.origin !== undefined && (
            <span className="jp-Colophon-note"> {trans.__('from %1', expectation.origin)}</span>
          )}
        </p>
        {expectation?.description !== undefined && <p className="jp-Colophon-note">{expectation.description}</p>}
        {result && <Found page={page} result={result} />}
        {result && <Provenance page={page} result={result} />}
      </div>
      {children}
    </div>
  );
}
