import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { EntityLinks, FormToggle, JobState, Table } from './controls';
import type { IModel } from './documents';
import { EvaluationCharts } from './evaluation';
import { Importances } from './importances';
import { formatNumber, getMetricLabel } from './labels';
import { PredictionForm, Predictions } from './predictions';
import type { IViewProps } from './view';

/** The metrics of both parts: a great difference shows that a model has learnt its training data by heart. */
function MetricTable({ open, trans }: { open: IModel; trans: IViewProps['trans'] }): React.JSX.Element | null {
  const { name, metrics, trainMetrics } = open;
  if (metrics === null) {
    return null;
  }
  return (
    <Table label={trans.__('Metrics of %1', name)}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Metric')}</th>
          <th scope="col" className="jp-Analytics-number">
            {trans.__('Training part')}
          </th>
          <th scope="col" className="jp-Analytics-number">
            {trans.__('Test part')}
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(metrics).map(([metric, value]) => (
          <tr key={metric}>
            <th scope="row">{getMetricLabel(metric, trans)}</th>
            <td className="jp-Analytics-number">{formatNumber(trainMetrics?.[metric])}</td>
            <td className="jp-Analytics-number">{formatNumber(value)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** A model: its parameters, evaluation and predictions. */
export function ModelDetails(props: IViewProps & { open: IModel }): React.JSX.Element {
  const { model, metadata, trans, open } = props;
  const { algorithms } = usePanelModel(model);
  const { name, description, parameters, state } = open;
  const schemas = algorithms.find(algorithm => algorithm.name === open.algorithm)?.schema.properties ?? {};
  const label = trans.__('Model %1', name);
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      {description !== '' && <p>{description}</p>}
      <p className="jp-Colophon-note">
        {Object.entries(parameters)
          .map(([parameter, value]) => `${schemas[parameter]?.title ?? parameter}: ${value}`)
          .join(' · ')}
      </p>
      {state === 'complete' ? (
        <>
          <div className="jp-Colophon-actions">
            <EntityLinks what={trans.__('model')} urn={open.entity} metadata={metadata} trans={trans} />
          </div>
          <MetricTable open={open} trans={trans} />
          {open.metrics?.['f1'] !== undefined && (
            <p className="jp-Colophon-help">
              {trans.__('Precision, recall and F1 are weighted by the rows of each class.')}
            </p>
          )}
          <EvaluationCharts models={[open]} trans={trans} />
          <Importances of={open} series={0} trans={trans} />
          <FormToggle label={trans.__('Apply to a file')}>
            {close => <PredictionForm {...props} close={close} />}
          </FormToggle>
          <Predictions {...props} />
        </>
      ) : (
        <JobState job={open} trans={trans} />
      )}
    </section>
  );
}
