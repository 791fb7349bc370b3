import React from 'react';
import { formatDuration, getStatusLabel } from '../../../components/labels';
import { ProblemNote } from '../../../components/problem';
import { RelativeTime } from '../../../components/relative-time';
import { getRunName, getRunPlace } from '../../../components/run-name';
import { MissingLineage, describeTableVersions } from '../../../components/runs';
import { useModel } from '../../../components/use-model';
import { AspectValue } from '../../../components/values';
import type { Run } from '../../../generated/api';
import { parseNotebookUrn } from '../../../model/urns';
import type { IMetadataService } from '../../../tokens';
import type { RunAccess } from '../../run/model';
import { RunModel } from '../../run/model';
import type { IPage, IPageProps } from '../page';

/** Returns a model of a run that lives as long as the component. */
function useRun(metadata: IMetadataService, urn: string): RunModel {
  const model = React.useMemo(() => new RunModel(metadata, metadata.feed, urn), [metadata, urn]);
  React.useEffect(() => {
    model.show();
    return () => model.dispose();
  }, [model]);
  return model;
}

function Head({ page, run }: { page: IPage; run: Run }): React.JSX.Element {
  const { actions, trans } = page;
  const place = getRunPlace(run);
  return (
    <div className="jp-Colophon-sectionHead">
      <div>
        <h2>{getRunName(run, trans)}</h2>
        <p className="jp-Colophon-subtitle">
          <span className="jp-Colophon-status" data-status={run.status}>
            {getStatusLabel(run.status, trans)}
          </span>{' '}
          {place !== '' && `${place} · `}
          <RelativeTime time={run.start} trans={trans} />
          {run.end !== null && ` · ${formatDuration(run.start, run.end)}`} · {run.actor}
        </p>
      </div>
      <div className="jp-Colophon-actions">
        {parseNotebookUrn(run.program) !== null && (
          <button type="button" className="jp-Colophon-link" onClick={() => actions.openCell({ run: run.urn })}>
            {trans.__('Open cell')}
          </button>
        )}
        <button type="button" className="jp-Colophon-link" onClick={() => actions.openEntity(run.urn)}>
          {trans.__('Open run')}
        </button>
      </div>
    </div>
  );
}

/** Data of a run, with its metadata at that time. */
function Data({ page, access }: { page: IPage; access: RunAccess }): React.JSX.Element {
  const { actions, trans } = page;
  const versions = describeTableVersions(access.tableVersions, trans);
  return (
    <li className="jp-Colophon-aspect" data-urn={access.urn}>
      <h4>
        <button
          type="button"
          className="jp-Colophon-link"
          title={access.urn}
          onClick={() => actions.openEntity(access.urn)}
        >
          {access.name}
        </button>
        {versions !== '' && <span className="jp-Colophon-note"> {versions}</span>}
        {access.deleted && <span className="jp-Colophon-note"> {trans.__('since deleted')}</span>}
      </h4>
      <AspectValue value={access.user} trans={trans} emptyText={trans.__('No user metadata.')} />
    </li>
  );
}

function DataList(props: { page: IPage; title: string; accesses: readonly RunAccess[] }): React.JSX.Element {
  const { page, title, accesses } = props;
  return (
    <div>
      <h3>{title}</h3>
      {accesses.length === 0 && <p className="jp-Colophon-note">{page.trans.__('None.')}</p>}
      <ul aria-label={title}>
        {accesses.map(access => (
          <Data key={`${access.urn} ${access.component}`} page={page} access={access} />
        ))}
      </ul>
    </div>
  );
}

/** The selected run: its inputs and outputs, with their metadata as it was when the run accessed them. */
export function RunDetails({ page, urn }: IPageProps & { urn: string }): React.JSX.Element {
  const { services, trans } = page;
  const model = useRun(services.metadata, urn);
  const { run, accesses, problem } = useModel(model);
  const data = accesses.filter(({ role }) => role === 'data');
  const filterByMode = (...modes: RunAccess['mode'][]): RunAccess[] => data.filter(({ mode }) => modes.includes(mode));
  const others = filterByMode('unknown');
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Selected run')}>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {run === null && !problem && <p role="status">{trans.__('Loading…')}</p>}
      {run && (
        <>
          <Head page={page} run={run} />
          <MissingLineage run={run} trans={trans} />
          <div className="jp-Colophon-runData">
            <DataList page={page} title={trans.__('Inputs')} accesses={filterByMode('read', 'both')} />
            <DataList page={page} title={trans.__('Outputs')} accesses={filterByMode('write', 'both')} />
            {others.length > 0 && <DataList page={page} title={trans.__('Accessed')} accesses={others} />}
          </div>
          <p className="jp-Colophon-note">{trans.__('Metadata as it was at that time.')}</p>
        </>
      )}
    </section>
  );
}
