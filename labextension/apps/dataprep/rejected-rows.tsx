import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IRowPage } from './documents';

/** The first rows that a directive could not process, with the reasons. */
export function RejectedRows({ page, trans }: { page: IRowPage; trans: TranslationBundle }): React.JSX.Element | null {
  const { rejected, rejectedCount } = page;
  if (rejectedCount === 0) {
    return null;
  }
  return (
    <details className="jp-Dataprep-rejected">
      <summary>{trans._n('%1 rejected row', '%1 rejected rows', rejectedCount)}</summary>
      <div className="jp-Dataprep-scroll" role="group" aria-label={trans.__('Rejected rows')} tabIndex={0}>
        <table className="jp-Colophon-table" aria-label={trans.__('Rejected rows')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Line')}</th>
              <th scope="col">{trans.__('Directive')}</th>
              <th scope="col">{trans.__('Reason')}</th>
              <th scope="col">{trans.__('Row')}</th>
            </tr>
          </thead>
          <tbody>
            {rejected.map(({ line, directive, reason, row }, at) => (
              <tr key={at}>
                <td>{line}</td>
                <td>
                  <code>{directive}</code>
                </td>
                <td>{reason}</td>
                <td>{JSON.stringify(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
