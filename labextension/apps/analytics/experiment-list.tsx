import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { DeleteButton, FormToggle, Table } from './controls';
import { ExperimentForm } from './experiment-form';
import type { IViewProps } from './view';

/** The experiments of the namespace. */
export function ExperimentList(props: IViewProps): React.JSX.Element {
  const { model, trans } = props;
  const { experiments } = usePanelModel(model);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Experiments')}>
      <h2>{trans.__('Experiments')}</h2>
      <FormToggle label={trans.__('New experiment')}>{close => <ExperimentForm {...props} close={close} />}</FormToggle>
      {experiments?.length === 0 && (
        <p className="jp-Colophon-note">
          {trans.__(
            'There is no experiment. An experiment names data, the column to predict, and the columns to predict it from.'
          )}
        </p>
      )}
      {experiments !== null && experiments.length > 0 && (
        <Table label={trans.__('Experiments')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Name')}</th>
              <th scope="col">{trans.__('Outcome')}</th>
              <th scope="col">{trans.__('Splits')}</th>
              <th scope="col">{trans.__('Models')}</th>
              <th scope="col">{trans.__('Created by')}</th>
              <th scope="col">{trans.__('Actions')}</th>
            </tr>
          </thead>
          <tbody>
            {experiments.map(experiment => (
              <tr key={experiment.name}>
                <th scope="row">
                  <button
                    type="button"
                    className="jp-Colophon-link"
                    onClick={() => void model.openExperiment(experiment)}
                  >
                    {experiment.name}
                  </button>
                  {experiment.description !== '' && <p className="jp-Colophon-help">{experiment.description}</p>}
                </th>
                <td>{experiment.outcome.name}</td>
                <td>{experiment.splits.toLocaleString()}</td>
                <td>{experiment.models.toLocaleString()}</td>
                <td>{experiment.createdBy}</td>
                <td>
                  <DeleteButton
                    model={model}
                    name={experiment.name}
                    question={trans.__('Delete %1 with its splits and models?', experiment.name)}
                    run={() => void model.deleteExperiment(experiment.name)}
                    trans={trans}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}
