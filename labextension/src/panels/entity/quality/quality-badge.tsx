import React from 'react';
import { usePulse } from '../../../components/use-pulse';
import type { Entity } from '../../../generated/api';
import { EXPECTATIONS_ASPECT, listChecks, summarizeChecks } from '../../../model/quality/quality';
import type { IPageProps } from '../page';
import { getQualityMark } from '../../../components/quality';
import { formatSummary } from './labels';

/** The quality of the dataset in the head of the page; it shows the section. Nothing without checks. */
export function QualityBadge({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { model, stopEditing, trans } = page;
  const summary = React.useMemo(() => summarizeChecks(listChecks(entity)), [entity]);
  const text = summary === null ? '' : formatSummary(summary, trans);
  const button = usePulse<HTMLButtonElement>(text);
  if (summary === null) {
    return null;
  }
  const show = (): void => {
    const page = button.current?.closest('.jp-Colophon-page');
    void stopEditing().then(closed => {
      if (closed) {
        model.selectTab('overview');
        requestAnimationFrame(() =>
          page?.querySelector(`[data-aspect="${EXPECTATIONS_ASPECT}"]`)?.scrollIntoView({ block: 'nearest' })
        );
      }
    });
  };
  return (
    <button
      type="button"
      className="jp-Colophon-qualityBadge"
      data-status={summary.status}
      title={trans.__('Show the expectations')}
      ref={button}
      onClick={show}
    >
      <span aria-hidden="true">{getQualityMark(summary.status)}</span> {text}
    </button>
  );
}
