import React from 'react';
import { Bars } from './charts/bars';
import type { IModel } from './documents';
import type { IViewProps } from './view';

/** How many features a chart shows. */
const MOST_SHOWN = 15;

/** The features with the greatest influence on the predictions of a model. */
export function Importances(props: {
  of: IModel;
  series: number;
  trans: IViewProps['trans'];
}): React.JSX.Element | null {
  const { of, series, trans } = props;
  const { name, importances, importanceKind } = of;
  if (!importances || importances.length === 0) {
    return null;
  }
  const label =
    importanceKind === 'coefficient' ? trans.__('Coefficients of %1', name) : trans.__('Importances of %1', name);
  const groups = importances
    .slice(0, MOST_SHOWN)
    .map(({ feature, value }) => ({ label: feature, bars: [{ series, name: '', value }] }));
  return <Bars label={label} groups={groups} />;
}
