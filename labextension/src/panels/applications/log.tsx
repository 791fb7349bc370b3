import React from 'react';
import { formatTime } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { IApplicationsProps } from './body';
import { OpenedSection } from './opened-section';

/** The log that the user opened; nothing without one. It gets the focus when it opens. */
export function Log({
  model,
  returnFocus,
  trans
}: IApplicationsProps & { returnFocus: () => void }): React.JSX.Element | null {
  const { log } = useModel(model);
  if (log === null) {
    return null;
  }
  const title = trans.__('Log of %1', log.app);
  const refresh = (
    <button type="button" className="jp-Colophon-button" onClick={() => void model.showLog(log.app)}>
      {trans.__('Refresh')}
    </button>
  );
  return (
    <OpenedSection
      title={title}
      subject={log.app}
      actions={refresh}
      close={() => void model.showLog(null).then(returnFocus)}
      trans={trans}
    >
      {log.records.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('It has logged nothing.')}</p>
      ) : (
        <ScrollableTable label={title}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Time')}</th>
              <th scope="col">{trans.__('Level')}</th>
              <th scope="col">{trans.__('Message')}</th>
            </tr>
          </thead>
          <tbody>
            {log.records.map(({ seq, time, level, message }) => (
              <tr key={seq}>
                <td>{formatTime(new Date(time).toISOString())}</td>
                <td>{level}</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </ScrollableTable>
      )}
    </OpenedSection>
  );
}
