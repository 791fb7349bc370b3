import React from 'react';
import type { IRegression } from '../documents';
import { formatNumber } from '../labels';
import type { IViewProps } from '../view';
import { getLook } from './series';
import { SIDE, SquareChart } from './square';

/** Predicted values against actual ones; those on the diagonal are right. */
export function ScatterChart(props: {
  name: string;
  series: number;
  points: IRegression['points'];
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { name, series, points, trans } = props;
  const values = points.flatMap(({ actual, predicted }) => [actual, predicted]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const getShare = (value: number): number => (high > low ? (value - low) / (high - low) : 0.5);
  return (
    <SquareChart
      label={trans.__('Predicted and actual values of %1', name)}
      text={trans._n('%1 row', '%1 rows', points.length)}
      xLabel={trans.__('Actual')}
      yLabel={trans.__('Predicted')}
      from={formatNumber(low)}
      to={formatNumber(high)}
    >
      {points.map(({ actual, predicted }, index) => (
        <circle
          key={index}
          cx={getShare(actual) * SIDE}
          cy={(1 - getShare(predicted)) * SIDE}
          r={2.5}
          style={{ fill: getLook(series).color, fillOpacity: 0.6 }}
        />
      ))}
    </SquareChart>
  );
}
