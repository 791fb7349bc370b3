import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Run } from '../generated/api';
import type { ICellPlace } from '../model/notebooks/cell-place';
import { parseNotebookUrn } from '../model/urns';
import { getDataLabel } from './data-label';
import { formatDuration, getStatusLabel } from './labels';
import { RelativeTime } from './relative-time';
import { getRunName, getRunPlace } from './run-name';
import { SourceText } from './source-text';

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

/** How runs open other pages. */
interface IRunActions {
  /** Opens the page of an entity, or of a run. */
  open: (urn: string) => void;
  /** Opens a notebook at a cell; without it, runs do not link to their cells. */
  openCell?: ((place: ICellPlace) => void) | undefined;
  trans: TranslationBundle;
}

/** A link to the cell of a run; nothing for runs that did not start in a notebook. */
function CellLink(props: Omit<IRunActions, 'open'> & { run: Run }): React.JSX.Element | null {
  const { run, openCell, trans } = props;
  if (!openCell || parseNotebookUrn(run.program) === null) {
    return null;
  }
  return (
    <button
      type="button"
      className="jp-Colophon-link"
      title={trans.__('Open the notebook at the cell')}
      onClick={() => openCell({ run: run.urn })}
    >
      {trans.__('Open cell')}
    </button>
  );
}

function RunCard(props: IRunActions & { run: Run }): React.JSX.Element {
  const { run, open, openCell, trans } = props;
  const place = getRunPlace(run);
  const { source, sourceHash } = run.facts;
  return (
    <li className="jp-Colophon-run" data-run={run.urn} data-status={run.status}>
      <div className="jp-Colophon-runHead">
        <button type="button" className="jp-Colophon-link" title={run.program} onClick={() => open(run.program)}>
          {getRunName(run, trans)}
        </button>
        <span className="jp-Colophon-status" data-status={run.status}>
          {getStatusLabel(run.status, trans)}
        </span>
      </div>
      <div className="jp-Colophon-runTime">
        {place !== '' && <span data-place>{place} · </span>}
        <RelativeTime time={run.start} trans={trans} />
        {run.end !== null && ` · ${formatDuration(run.start, run.end)}`} · {run.actor} ·{' '}
        <CellLink run={run} openCell={openCell} trans={trans} />{' '}
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
                {getDataLabel(access.data)}
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

/** Names the versions of a table that were read or written; empty if they are unknown. */
export function describeTableVersions(versions: readonly string[] | undefined, trans: TranslationBundle): string {
  return versions?.length ? trans._n('version %2', 'versions %2', versions.length, versions.join(', ')) : '';
}

/** Runs, newest first: name, place, status, time and accesses of each. */
export function RunList(props: IRunActions & { runs: readonly Run[]; label: string }): React.JSX.Element {
  const { runs, label, trans } = props;
  if (runs.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No runs.')}</p>;
  }
  return (
    <ul className="jp-Colophon-runs" aria-label={label}>
      {runs.map(run => (
        <RunCard key={run.urn} {...props} run={run} />
      ))}
    </ul>
  );
}
