import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Run } from '../generated/api';
import { shortenUrn } from '../model/urns';
import { SourceText } from './source-text';
import { formatDuration, formatTime, getStatusLabel } from './labels';

/** Returns the origin of a run: its notebook and cell, or the name of its program. */
export function formatOrigin(run: Run, trans: TranslationBundle): string {
  const { notebook, cellId, executionCount } = run.facts;
  if (notebook === undefined) {
    return run.name;
  }
  const count = executionCount === undefined ? '' : `[${executionCount}] `;
  return cellId === undefined ? notebook : trans.__('%1, cell %2', notebook, `${count}${cellId}`);
}

/** Returns the label of an access mode. */
export function getAccessLabel(mode: Run['accesses'][number]['mode'], trans: TranslationBundle): string {
  switch (mode) {
    case 'read':
      return trans.__('read');
    case 'write':
      return trans.__('wrote');
    case 'both':
      return trans.__('read and wrote');
    case 'unknown':
      return trans.__('accessed');
  }
}

/** Which lineage of a run could not be captured, as reported by the capture. */
export function MissingLineage({ run, trans }: { run: Run; trans: TranslationBundle }): React.JSX.Element | null {
  const { missingLineage } = run.facts;
  if (missingLineage === undefined) {
    return null;
  }
  return (
    <p className="jp-Colophon-note" data-missing-lineage>
      {trans.__('Not captured: %1', String(missingLineage))}
    </p>
  );
}

function RunCard(props: { run: Run; open: (urn: string) => void; trans: TranslationBundle }): React.JSX.Element {
  const { run, open, trans } = props;
  const { source, sourceHash } = run.facts;
  return (
    <li className="jp-Colophon-run" data-run={run.urn} data-status={run.status}>
      <div className="jp-Colophon-runHead">
        <button type="button" className="jp-Colophon-link" title={run.program} onClick={() => open(run.program)}>
          {formatOrigin(run, trans)}
        </button>
        <span className="jp-Colophon-status" data-status={run.status}>
          {getStatusLabel(run.status, trans)}
        </span>
      </div>
      <div className="jp-Colophon-runTime">
        <time dateTime={run.start}>{formatTime(run.start)}</time>
        {run.end !== null && ` · ${formatDuration(run.start, run.end)}`} · {run.actor} ·{' '}
        <button type="button" className="jp-Colophon-link" title={run.urn} onClick={() => open(run.urn)}>
          {trans.__('Open run')}
        </button>
      </div>
      <MissingLineage run={run} trans={trans} />
      <details>
        <summary>{trans._n('%1 access', '%1 accesses', run.accesses.length)}</summary>
        <ul className="jp-Colophon-accesses">
          {run.accesses.map(access => (
            <li key={`${access.mode} ${access.data} ${access.component}`}>
              {getAccessLabel(access.mode, trans)}{' '}
              <button type="button" className="jp-Colophon-link" title={access.data} onClick={() => open(access.data)}>
                {shortenUrn(access.data)}
              </button>
            </li>
          ))}
        </ul>
        {sourceHash !== undefined && <p className="jp-Colophon-hash">{sourceHash}</p>}
        {source !== undefined && source !== '' && <SourceText label={trans.__('Source')} text={source} />}
      </details>
    </li>
  );
}

/** Runs, newest first: origin, status, time and accesses of each. */
export function RunList(props: {
  runs: readonly Run[];
  label: string;
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { runs, label, open, trans } = props;
  if (runs.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No runs.')}</p>;
  }
  return (
    <ul className="jp-Colophon-runs" aria-label={label}>
      {runs.map(run => (
        <RunCard key={run.urn} run={run} open={open} trans={trans} />
      ))}
    </ul>
  );
}
