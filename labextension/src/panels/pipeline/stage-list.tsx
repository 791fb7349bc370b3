import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getStageLabel } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import type { IWorkbench } from './workbench';

/** The stages in order of execution, as a table in step with the canvas. */
export function StageList(props: { bench: IWorkbench; trans: TranslationBundle }): React.JSX.Element {
  const { bench, trans } = props;
  if (bench.order.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No stages.')}</p>;
  }
  return (
    <ScrollableTable label={trans.__('Stages in order')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Stage')}</th>
          <th scope="col">{trans.__('Plugin')}</th>
          <th scope="col">{trans.__('Comes from')}</th>
          <th scope="col">{trans.__('Output')}</th>
          <th scope="col">{trans.__('Errors')}</th>
          <th scope="col">{trans.__('Status')}</th>
        </tr>
      </thead>
      <tbody>
        {bench.order.map(index => {
          const { stage, kind, columns, errors, status } = bench.stages[index]!;
          const inputs = bench.connections.filter(({ to }) => to === stage.name).map(({ from }) => from);
          return (
            <tr key={index} aria-selected={bench.selected === index}>
              <th scope="row">
                <button type="button" className="jp-Colophon-link" onClick={() => bench.model.select(index)}>
                  {stage.name}
                </button>
              </th>
              <td>{kind}</td>
              <td>{inputs.join(', ')}</td>
              <td>{columns?.map(({ name }) => name).join(', ')}</td>
              <td>{errors.map(({ message }) => message).join('; ')}</td>
              <td>{status !== undefined && getStageLabel(status, trans)}</td>
            </tr>
          );
        })}
      </tbody>
    </ScrollableTable>
  );
}
