import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatDuration, formatTime, formatValue, getColumnLabel, getStatusLabel } from './format';
import type { GroupBy, IReport, IReportedRun, Measure } from './report';
import { MEASURES } from './report';

interface ITableProps {
  /** Opens the page of an entity or a run. */
  openEntity(urn: string): void;
  trans: TranslationBundle;
}

function isMeasure(column: string): boolean {
  return (MEASURES as readonly string[]).includes(column);
}

/** The groups with their measures. */
export function GroupTable({ report, openEntity, trans }: ITableProps & { report: IReport }): React.JSX.Element {
  const columns = report.columns.filter(column => column !== 'programName') as (GroupBy | Measure)[];
  return (
    <table className="jp-Colophon-table" aria-label={trans.__('Groups')}>
      <thead>
        <tr>
          {columns.map(column => (
            <th scope="col" key={column} className={isMeasure(column) ? 'jp-Reports-number' : ''}>
              {getColumnLabel(column, trans)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {report.rows.map((row, at) => (
          <tr key={at}>
            {columns.map(column => (
              <td key={column} className={isMeasure(column) ? 'jp-Reports-number' : ''}>
                {column === 'program' ? (
                  <button type="button" className="jp-Colophon-link" onClick={() => openEntity(String(row.program))}>
                    {row.programName}
                  </button>
                ) : (
                  formatValue(column, row[column])
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The newest single runs. */
export function RunTable(props: ITableProps & { runs: readonly IReportedRun[] }): React.JSX.Element {
  const { runs, openEntity, trans } = props;
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Newest runs')}>
      <h2>{trans.__('Newest runs')}</h2>
      <div className="jp-Reports-scroll">
        <table className="jp-Colophon-table">
          <thead>
            <tr>
              <th scope="col">{trans.__('Start')}</th>
              <th scope="col">{trans.__('Program')}</th>
              <th scope="col">{trans.__('Namespace')}</th>
              <th scope="col">{trans.__('User')}</th>
              <th scope="col">{trans.__('Status')}</th>
              <th scope="col" className="jp-Reports-number">
                {trans.__('Duration')}
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.map(run => (
              <tr key={run.run}>
                <td>
                  <button type="button" className="jp-Colophon-link" onClick={() => openEntity(run.run)}>
                    {formatTime(run.startMs)}
                  </button>
                </td>
                <td>
                  <button type="button" className="jp-Colophon-link" onClick={() => openEntity(run.program)}>
                    {run.programName}
                  </button>
                </td>
                <td>{run.namespace}</td>
                <td>{run.user}</td>
                <td>{getStatusLabel(run.status, trans)}</td>
                <td className="jp-Reports-number">{run.durationMs === null ? '' : formatDuration(run.durationMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
