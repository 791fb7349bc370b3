import React from 'react';
import { formatDuration, getStatusLabel } from '../../../components/labels';
import { RelativeTime } from '../../../components/relative-time';
import { getRunPlace } from '../../../components/run-name';
import { useModel } from '../../../components/use-model';
import type { Run } from '../../../generated/api';
import type { IPage, IPageProps } from '../page';

/** Number of runs on the overview. */
const RUNS = 3;

function RunRow({ page, run }: { page: IPage; run: Run }): React.JSX.Element {
  const { actions, trans } = page;
  const words = [formatDuration(run.start, run.end), getRunPlace(run), run.actor].filter(word => word !== '');
  return (
    <li className="jp-Colophon-run" data-run={run.urn}>
      <button type="button" className="jp-Colophon-link" title={run.urn} onClick={() => actions.openEntity(run.urn)}>
        <RelativeTime time={run.start} trans={trans} />
      </button>{' '}
      <span className="jp-Colophon-status" data-status={run.status}>
        {getStatusLabel(run.status, trans)}
      </span>{' '}
      <span className="jp-Colophon-runTime">{words.join(' · ')}</span>
    </li>
  );
}

/** The last runs of a program. */
export function LastRuns({ page }: IPageProps): React.JSX.Element | null {
  const { model, trans } = page;
  const { entity, runs } = useModel(model);
  if (entity?.type !== 'dataJob' || runs === null || runs.length === 0) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Last runs')}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Last runs')}</h2>
        <button type="button" className="jp-Colophon-link" onClick={() => model.selectTab('runs')}>
          {trans.__('Show all')}
        </button>
      </div>
      <ul aria-label={trans.__('Last runs')}>
        {runs.slice(0, RUNS).map(run => (
          <RunRow key={run.urn} page={page} run={run} />
        ))}
      </ul>
    </section>
  );
}
