import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { QualityStatus } from '../model/quality/quality';

/** Returns the mark of the quality of a dataset; the marks differ in their shapes. */
export function getQualityMark(status: QualityStatus): string {
  return { failing: '✗', warning: '▲', passing: '✓', unknown: '○' }[status];
}

/** Returns the quality of a dataset in words. */
export function getQualityLabel(status: QualityStatus, trans: TranslationBundle): string {
  return {
    failing: trans.__('Quality failing'),
    warning: trans.__('Quality with warnings'),
    passing: trans.__('Quality passing'),
    unknown: trans.__('Quality not checked')
  }[status];
}

/** The quality of a dataset in a list. */
export function QualityMark(props: { status: QualityStatus; trans: TranslationBundle }): React.JSX.Element {
  const { status, trans } = props;
  return (
    <span className="jp-Colophon-qualityMark" data-status={status}>
      <span aria-hidden="true">{getQualityMark(status)}</span> {getQualityLabel(status, trans)}
    </span>
  );
}
