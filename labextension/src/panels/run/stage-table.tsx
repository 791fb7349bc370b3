import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { BreakableName } from '../../components/breakable-name';
import { ScrollableTable } from '../../components/scrollable-table';
import { formatMilliseconds, getStageLabel } from '../../components/labels';
import type { IStage } from './stages';

/** The results of the stages of a pipeline, in order. */
export function StageTable(props: { stages: readonly IStage[]; trans: TranslationBundle }): React.JSX.Element {
  const { stages, trans } = props;
  const hasRejected = stages.some(stage => stage.rejected !== undefined);
  const retried = stages.some(stage => stage.attempts !== undefined);
  return (
    <ScrollableTable label={trans.__('Stages')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Stage')}</th>
          <th scope="col">{trans.__('Status')}</th>
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Rows in')}
          </th>
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Rows out')}
          </th>
          {hasRejected && (
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Rejected rows')}
            </th>
          )}
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Time')}
          </th>
          {retried && (
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Attempts')}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {stages.map(stage => (
          <tr key={stage.name} data-stage={stage.name}>
            <th scope="row">
              <BreakableName text={stage.name} />
            </th>
            <td>
              <span className="jp-Colophon-status" data-status={stage.status}>
                {getStageLabel(stage.status, trans)}
              </span>
            </td>
            <td className="jp-Colophon-number">{stage.rowsIn?.toLocaleString()}</td>
            <td className="jp-Colophon-number">{stage.rowsOut?.toLocaleString()}</td>
            {hasRejected && <td className="jp-Colophon-number">{stage.rejected?.toLocaleString()}</td>}
            <td className="jp-Colophon-number">
              {stage.ms === undefined || stage.status === 'waiting' ? '' : formatMilliseconds(stage.ms)}
            </td>
            {retried && <td className="jp-Colophon-number">{stage.attempts?.toLocaleString()}</td>}
          </tr>
        ))}
      </tbody>
    </ScrollableTable>
  );
}
