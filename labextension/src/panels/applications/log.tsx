import React from 'react';
import { formatTime } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { IApplicationsProps } from './body';

/** The log that the user opened; nothing without one. It gets the focus when it opens. */
export function Log({
  model,
  returnFocus,
  trans
}: IApplicationsProps & { returnFocus: () => void }): React.JSX.Element | null {
  const { log } = useModel(model);
  const heading = React.useRef<HTMLHeadingElement>(null);
  const app = log?.app ?? null;
  React.useEffect(() => heading.current?.focus(), [app]);
  if (log === null) {
    return null;
  }
  const title = trans.__('Log of %1', log.app);
  return (
    <section className="jp-Colophon-card-section" aria-label={title}>
      <div className="jp-Colophon-sectionHead">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <div className="jp-Colophon-actions">
          <button type="button" className="jp-Colophon-button" onClick={() => void model.showLog(log.app)}>
            {trans.__('Refresh')}
          </button>
          <button
            type="button"
            className="jp-Colophon-button"
            onClick={() => void model.showLog(null).then(returnFocus)}
          >
            {trans.__('Close')}
          </button>
        </div>
      </div>
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
    </section>
  );
}
