import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { Comparison } from './comparison';
import { FormToggle } from './controls';
import type { IExperiment } from './documents';
import { ModelDetails } from './model-details';
import { ModelForm } from './model-form';
import { ModelTable } from './model-table';
import type { IViewProps } from './view';

/** The models of an experiment, the open one, and those that are compared. */
export function ModelSection(props: IViewProps & { experiment: IExperiment }): React.JSX.Element {
  const { model, trans } = props;
  const { models, splits, model: open, evaluated } = usePanelModel(model);
  const canTrain = splits.some(({ state }) => state === 'complete');
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Models')}>
      <h3>{trans.__('Models')}</h3>
      {canTrain ? (
        <FormToggle label={trans.__('New model')}>{close => <ModelForm {...props} close={close} />}</FormToggle>
      ) : (
        <p className="jp-Colophon-note">{trans.__('Models can be trained when a split is complete.')}</p>
      )}
      {models.length > 0 && <ModelTable {...props} />}
      {models.length > 1 && evaluated.length < 2 && (
        <p className="jp-Colophon-note">{trans.__('Choose two or more models to compare them.')}</p>
      )}
      {evaluated.length > 1 && <Comparison models={evaluated} trans={trans} />}
      {open !== null && <ModelDetails {...props} open={open} />}
    </section>
  );
}
