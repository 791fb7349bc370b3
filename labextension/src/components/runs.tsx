import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Run } from '../generated/api';
import { shortUrn } from '../model/urns';
import { Listing } from './listing';
import { duration, moment, statusWord } from './words';

/** Where a run came from, as far as it says so: notebook and cell. */
export function originOf(run: Run, trans: TranslationBundle): string {
  const { notebook, cellId, executionCount } = run.facts;
  if (notebook === undefined) {
    return run.name;
  }
  const count = executionCount === undefined ? '' : `[${executionCount}] `;
  return cellId === undefined ? notebook : trans.__('%1, cell %2', notebook, `${count}${cellId}`);
}

/** What a run did to data. */
export function accessWord(mode: Run['accesses'][number]['mode'], trans: TranslationBundle): string {
  switch (mode) {
    case 'read':
      return trans.__('read');
    case 'write':
      return trans.__('wrote');
    case 'both':
      return trans.__('read and wrote');
    case 'unknown':
      return trans.__('touched');
  }
}

/** What the capture of a run could not see, as it says itself: nothing is silently missing. */
export function NotSeen({ run, trans }: { run: Run; trans: TranslationBundle }): React.JSX.Element | null {
  const { missingLineage } = run.facts;
  if (missingLineage === undefined) {
    return null;
  }
  return (
    <p className="jp-Colophon-note" data-not-seen>
      {trans.__('Not seen: %1', String(missingLineage))}
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
          {originOf(run, trans)}
        </button>
        <span className="jp-Colophon-status" data-status={run.status}>
          {statusWord(run.status, trans)}
        </span>
      </div>
      <div className="jp-Colophon-runTime">
        <time dateTime={run.start}>{moment(run.start)}</time>
        {run.end !== null && ` · ${duration(run.start, run.end)}`} · {run.actor} ·{' '}
        <button type="button" className="jp-Colophon-link" title={run.urn} onClick={() => open(run.urn)}>
          {trans.__('Open run')}
        </button>
      </div>
      <NotSeen run={run} trans={trans} />
      <details>
        <summary>{trans._n('%1 access', '%1 accesses', run.accesses.length)}</summary>
        <ul className="jp-Colophon-accesses">
          {run.accesses.map(access => (
            <li key={`${access.mode} ${access.data} ${access.component}`}>
              {accessWord(access.mode, trans)}{' '}
              <button type="button" className="jp-Colophon-link" title={access.data} onClick={() => open(access.data)}>
                {shortUrn(access.data)}
              </button>
            </li>
          ))}
        </ul>
        {sourceHash !== undefined && <p className="jp-Colophon-hash">{sourceHash}</p>}
        {source !== undefined && source !== '' && <Listing label={trans.__('Source')} text={source} />}
      </details>
    </li>
  );
}

/** Runs, newest first: what ran, from which notebook and cell, how it ended. */
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
