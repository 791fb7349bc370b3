import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { HorizontalBars } from '../horizontal-bars';
import { formatTime, formatValue, getColumnLabel, getStatusLabel } from './format';
import type { IReport, Measure, ReportRow } from './report';
import { GROUPS, STATUSES } from './report';

const TIMELINE = { width: 720, height: 120 };
const WIDTHS = { labels: 220, bars: 380, values: 120 };
/** How many groups the chart shows. */
const GROUPS_SHOWN = 15;

/** Returns the name of the group of a row. */
function getGroupName(row: ReportRow): string {
  const parts = GROUPS.filter(name => name in row).map(name => (name === 'program' ? row.programName : row[name]));
  return parts.join(' · ');
}

/** The runs over time, stacked by status, with a table as an alternative. */
export function Timeline({ report, trans }: { report: IReport; trans: TranslationBundle }): React.JSX.Element {
  const { bars } = report.timeline;
  const totals = bars.map(bar => STATUSES.reduce((sum, status) => sum + bar[status], 0));
  const most = Math.max(1, ...totals);
  const step = TIMELINE.width / Math.max(1, bars.length);
  const label = trans.__('Runs over time by status, at most %1 at a time', most);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Runs over time')}>
      <h2>{trans.__('Runs over time')}</h2>
      <ul className="jp-Reports-legend">
        {STATUSES.map(status => (
          <li key={status} data-status={status}>
            {`${getStatusLabel(status, trans)}: ${report.summary.statuses[status]}`}
          </li>
        ))}
      </ul>
      <svg
        role="img"
        aria-label={label}
        className="jp-Reports-timeline"
        viewBox={`0 0 ${TIMELINE.width} ${TIMELINE.height}`}
        preserveAspectRatio="none"
      >
        {bars.map((bar, at) => {
          let top = TIMELINE.height;
          return STATUSES.filter(status => bar[status] > 0).map(status => {
            const length = (bar[status] / most) * TIMELINE.height;
            top -= length;
            return (
              <rect
                key={`${at}-${status}`}
                {...{ x: at * step, y: top, width: Math.max(1, step - 1), height: length }}
                data-status={status}
              >
                <title>{`${formatTime(bar.startMs)}: ${bar[status]} ${getStatusLabel(status, trans)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <div className="jp-Reports-ends">
        <span>{formatTime(report.fromMs)}</span>
        <span>{formatTime(report.toMs)}</span>
      </div>
      <details>
        <summary>{trans.__('As a table')}</summary>
        <table className="jp-Colophon-table">
          <thead>
            <tr>
              <th scope="col">{trans.__('From')}</th>
              {STATUSES.map(status => (
                <th scope="col" key={status} className="jp-Reports-number">
                  {getStatusLabel(status, trans)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars
              .filter((_, at) => totals[at]! > 0)
              .map(bar => (
                <tr key={bar.startMs}>
                  <th scope="row">{formatTime(bar.startMs)}</th>
                  {STATUSES.map(status => (
                    <td key={status} className="jp-Reports-number">
                      {bar[status]}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

/** A measure of the first groups as bars. The table of the groups is the alternative. */
export function GroupChart(props: {
  report: IReport;
  measure: Measure;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { report, measure, trans } = props;
  const groups = report.rows.slice(0, GROUPS_SHOWN).flatMap(row => {
    const value = row[measure];
    const label = getGroupName(row) || trans.__('All runs');
    return typeof value === 'number' ? [{ label, bars: [{ name: '', value }] }] : [];
  });
  return groups.length === 0 ? null : (
    <figure className="jp-Reports-groups">
      <HorizontalBars
        label={trans.__('%1 of the first groups; the table has all of them', getColumnLabel(measure, trans))}
        groups={groups}
        formatValue={value => formatValue(measure, value)}
        widths={WIDTHS}
      />
    </figure>
  );
}
