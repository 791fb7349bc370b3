import React from 'react';
import { Bars } from './charts/bars';
import { Legend } from './charts/series';
import type { IModel } from './documents';
import { EvaluationCharts } from './evaluation';
import { Importances } from './importances';
import { getMetricLabel } from './labels';
import type { IViewProps } from './view';

/** Metrics from 0 to 1, which share a scale. Errors and R² have their own. */
const SHARES = new Set(['accuracy', 'precision', 'recall', 'f1', 'auc']);

/** The charts of several models, side by side. */
export function Comparison(props: { models: readonly IModel[]; trans: IViewProps['trans'] }): React.JSX.Element {
  const { models, trans } = props;
  const metrics = [...new Set(models.flatMap(model => Object.keys(model.metrics ?? {})))];
  const groups = metrics.map(metric => ({
    metric,
    label: getMetricLabel(metric, trans),
    bars: models.flatMap(({ name, metrics: values }, series) => {
      const value = values?.[metric];
      return value === undefined ? [] : [{ series, name, value }];
    })
  }));
  const shares = groups.filter(({ metric }) => SHARES.has(metric));
  return (
    <section aria-label={trans.__('Comparison')}>
      <h4>{trans.__('Comparison')}</h4>
      <Legend names={models.map(({ name }) => name)} />
      <div className="jp-Analytics-row">
        {shares.length > 0 && <Bars label={trans.__('Metrics of the test part')} groups={shares} full={1} />}
        {groups
          .filter(({ metric }) => !SHARES.has(metric))
          .map(group => (
            <Bars
              key={group.metric}
              label={trans.__('%1 of the test part', group.label)}
              groups={group.bars.map(bar => ({ label: bar.name, bars: [bar] }))}
            />
          ))}
      </div>
      <EvaluationCharts models={models} trans={trans} />
      <div className="jp-Analytics-row">
        {models.map((model, series) => (
          <Importances key={model.name} of={model} series={series} trans={trans} />
        ))}
      </div>
    </section>
  );
}
