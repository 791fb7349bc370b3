import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatTime } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import type { SystemApp } from '../../generated/api';
import type { IApplicationsProps } from './body';

type Schedule = SystemApp['schedules'][number];

/** How the last run ended. */
function Result({ schedule, trans }: { schedule: Schedule; trans: TranslationBundle }): React.JSX.Element {
  const { last, problem } = schedule;
  if (problem !== '') {
    return <span className="jp-Colophon-error">{problem}</span>;
  }
  return <>{last === null ? '' : trans.__('succeeded')}</>;
}

/** The schedules of applications with their runs; nothing if there are none. */
export function Schedules(props: IApplicationsProps & { apps: readonly SystemApp[] }): React.JSX.Element | null {
  const { apps, trans } = props;
  if (apps.every(({ schedules }) => schedules.length === 0)) {
    return null;
  }
  const title = trans.__('Schedules');
  return (
    <section className="jp-Colophon-card-section" aria-label={title}>
      <h2>{title}</h2>
      <ScrollableTable label={title}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Schedule')}</th>
            <th scope="col">{trans.__('When (UTC)')}</th>
            <th scope="col">{trans.__('Next run')}</th>
            <th scope="col">{trans.__('Last run')}</th>
            <th scope="col">{trans.__('Result')}</th>
          </tr>
        </thead>
        <tbody>
          {apps.flatMap(app =>
            app.schedules.map(schedule => (
              <tr key={`${app.package}/${app.name}/${schedule.name}`}>
                <th scope="row">{trans.__('%1 of %2', schedule.name, app.name)}</th>
                <td>
                  <code>{schedule.when}</code>
                </td>
                <td>{schedule.next === null ? trans.__('not scheduled') : formatTime(schedule.next)}</td>
                <td>{schedule.last === null ? trans.__('none') : formatTime(schedule.last)}</td>
                <td>
                  <Result schedule={schedule} trans={trans} />
                </td>
              </tr>
            ))
          )}
        </tbody>
      </ScrollableTable>
    </section>
  );
}
