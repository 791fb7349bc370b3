import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatDuration, getStatusLabel } from '../../components/labels';
import { RelativeTime } from '../../components/relative-time';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { IWorkbench } from './workbench';

/** The last runs of the pipeline, whichever way they were started. */
export function LastRuns(props: {
  bench: IWorkbench;
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { bench, open, trans } = props;
  const { runs, shownRun } = useModel(bench.runs);
  if (runs.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No runs.')}</p>;
  }
  return (
    <ScrollableTable label={trans.__('Last runs')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Start')}</th>
          <th scope="col">{trans.__('Status')}</th>
          <th scope="col">{trans.__('Time')}</th>
          <th scope="col">{trans.__('User')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(run => (
          <tr key={run.urn} data-run={run.urn}>
            <th scope="row">
              <RelativeTime time={run.start} trans={trans} />
            </th>
            <td>
              <span className="jp-Colophon-status" data-status={run.status}>
                {getStatusLabel(run.status, trans)}
              </span>
            </td>
            <td>{formatDuration(run.start, run.end)}</td>
            <td>{run.actor}</td>
            <td className="jp-Colophon-actions">
              <button
                type="button"
                className="jp-Colophon-link"
                aria-pressed={shownRun?.urn === run.urn}
                onClick={() => bench.runs.showRun(run)}
              >
                {trans.__('Show on the canvas')}
              </button>
              <button type="button" className="jp-Colophon-link" onClick={() => open(run.urn)}>
                {trans.__('Open run')}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollableTable>
  );
}
