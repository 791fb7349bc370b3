import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISource } from './documents';

const NUMBER = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 });

/** Formats a number with four significant digits. */
export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : NUMBER.format(value);
}

/** Returns the name of a metric for users. */
export function getMetricLabel(metric: string, trans: TranslationBundle): string {
  const labels: Record<string, string> = {
    accuracy: trans.__('Accuracy'),
    precision: trans.__('Precision'),
    recall: trans.__('Recall'),
    f1: trans.__('F1'),
    auc: trans.__('Area under ROC'),
    rmse: trans.__('RMSE'),
    mae: trans.__('MAE'),
    r2: trans.__('R²')
  };
  return labels[metric] ?? metric;
}

/** Whether a metric is an error, so that the lowest value is the best one. */
export function isError(metric: string): boolean {
  return metric === 'rmse' || metric === 'mae';
}

/** Reads a source that the user entered: the URN of a dataset, or a path. */
export function readSource(text: string): ISource {
  const place = text.trim();
  return place.startsWith('urn:') ? { dataset: place } : { path: place };
}
