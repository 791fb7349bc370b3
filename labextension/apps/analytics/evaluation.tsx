import React from 'react';
import { ConfusionMatrix } from './charts/confusion';
import { RocChart } from './charts/roc';
import { ScatterChart } from './charts/scatter';
import type { IModel } from './documents';
import type { IViewProps } from './view';

/** The charts of the test part: one ROC chart for all models, and a matrix or a scatter chart for each. */
export function EvaluationCharts(props: { models: readonly IModel[]; trans: IViewProps['trans'] }): React.JSX.Element {
  const { models, trans } = props;
  const curves = models.flatMap(({ name, evaluation, metrics }, series) =>
    evaluation && 'roc' in evaluation && evaluation.roc
      ? [{ name, series, auc: metrics?.['auc'], roc: evaluation.roc }]
      : []
  );
  const classes = models.flatMap(({ evaluation }) => (evaluation && 'classes' in evaluation ? evaluation.classes : []));
  return (
    <div className="jp-Analytics-row">
      <RocChart curves={curves} positive={classes[1] ?? ''} trans={trans} />
      {models.map(({ name, evaluation }, series) =>
        !evaluation ? null : 'confusion' in evaluation ? (
          <ConfusionMatrix key={name} name={name} evaluation={evaluation} trans={trans} />
        ) : (
          <ScatterChart key={name} name={name} series={series} points={evaluation.points} trans={trans} />
        )
      )}
    </div>
  );
}
