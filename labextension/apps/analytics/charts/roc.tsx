import React from 'react';
import type { IClassification } from '../documents';
import { formatNumber } from '../labels';
import type { IViewProps } from '../view';
import { getLook } from './series';
import { SIDE, SquareChart } from './square';

/** The ROC curves of classifications with two classes. */
export function RocChart(props: {
  curves: readonly {
    name: string;
    series: number;
    auc: number | undefined;
    roc: NonNullable<IClassification['roc']>;
  }[];
  /** The class whose rates are shown. */
  positive: string;
  trans: IViewProps['trans'];
}): React.JSX.Element | null {
  const { curves, positive, trans } = props;
  if (curves.length === 0) {
    return null;
  }
  const text = curves.map(({ name, auc }) => trans.__('%1: area %2', name, formatNumber(auc))).join('; ');
  return (
    <SquareChart
      label={trans.__('ROC curve of the class %1', positive)}
      text={text}
      xLabel={trans.__('False positive rate')}
      yLabel={trans.__('True positive rate')}
      from="0"
      to="1"
    >
      {curves.map(({ name, series, roc }) => (
        <polyline
          key={name}
          fill="none"
          strokeWidth={2}
          style={{ stroke: getLook(series).color }}
          strokeDasharray={getLook(series).dash}
          points={roc.map(({ fpr, tpr }) => `${fpr * SIDE},${(1 - tpr) * SIDE}`).join(' ')}
        >
          <title>{name}</title>
        </polyline>
      ))}
    </SquareChart>
  );
}
