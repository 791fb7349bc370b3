import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Name } from '../../components/name';
import { TableRoom } from '../../components/table-room';
import { span, stageWord } from '../../components/words';
import type { IStage } from './stages';

/** What became of each stage of a pipeline, in the order of their work. */
export function StageTable(props: { stages: readonly IStage[]; trans: TranslationBundle }): React.JSX.Element {
  const { stages, trans } = props;
  const retried = stages.some(stage => stage.tries !== undefined);
  return (
    <TableRoom label={trans.__('Stages')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Stage')}</th>
          <th scope="col">{trans.__('Became')}</th>
          <th scope="col" className="jp-Colophon-figure">
            {trans.__('Rows in')}
          </th>
          <th scope="col" className="jp-Colophon-figure">
            {trans.__('Rows out')}
          </th>
          <th scope="col" className="jp-Colophon-figure">
            {trans.__('Time')}
          </th>
          {retried && (
            <th scope="col" className="jp-Colophon-figure">
              {trans.__('Tries')}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {stages.map(stage => (
          <tr key={stage.name} data-stage={stage.name}>
            <th scope="row">
              <Name text={stage.name} />
            </th>
            <td>
              <span className="jp-Colophon-status" data-status={stage.status}>
                {stageWord(stage.status, trans)}
              </span>
            </td>
            <td className="jp-Colophon-figure">{stage.taken?.toLocaleString()}</td>
            <td className="jp-Colophon-figure">{stage.given?.toLocaleString()}</td>
            <td className="jp-Colophon-figure">
              {stage.ms === undefined || stage.status === 'waiting' ? '' : span(stage.ms)}
            </td>
            {retried && <td className="jp-Colophon-figure">{stage.tries?.toLocaleString()}</td>}
          </tr>
        ))}
      </tbody>
    </TableRoom>
  );
}
