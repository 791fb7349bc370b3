import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatTime, getStatusLabel } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { Schedule } from './runs';
import type { IWorkbench } from './workbench';

interface ISchedulesProps {
  bench: IWorkbench;
  /** Opens the form of an instance of the schemaspace `pipelines`. */
  openInstance: (name: string) => void;
  /** Whether the pipeline was saved. */
  isStored: boolean;
  trans: TranslationBundle;
}

function formatStart({ every, cron, onChange }: Schedule, trans: TranslationBundle): string {
  const times = [every === '' ? '' : trans.__('every %1', every), cron];
  return [...times, onChange ? trans.__('on change') : ''].filter(word => word !== '').join(', ');
}

function formatStatus({ status, problem }: Schedule, trans: TranslationBundle): string {
  const label = status === '' ? '' : status === 'rejected' ? trans.__('not started') : getStatusLabel(status, trans);
  return [label, problem].filter(word => word !== '').join(': ');
}

function ScheduleRow(props: ISchedulesProps & { schedule: Schedule }): React.JSX.Element {
  const { schedule, bench, openInstance, trans } = props;
  return (
    <tr>
      <th scope="row">
        <button type="button" className="jp-Colophon-link" onClick={() => openInstance(schedule.name)}>
          {schedule.name}
        </button>
      </th>
      <td>{formatStart(schedule, trans)}</td>
      <td>{schedule.nextRun !== null && formatTime(schedule.nextRun)}</td>
      <td>{formatStatus(schedule, trans)}</td>
      <td>
        <input
          type="checkbox"
          aria-label={trans.__('Enable %1', schedule.name)}
          checked={schedule.enabled}
          disabled={bench.readOnly}
          onChange={event => void bench.runs.setScheduleEnabled(schedule.name, event.target.checked)}
        />
      </td>
    </tr>
  );
}

const BLANK = { name: '', kind: 'cron', time: '' };

/** A form for a new schedule. It is not a form element, since it is within the form of the pipeline. */
function NewSchedule({ bench, trans }: ISchedulesProps): React.JSX.Element {
  const [{ name, kind, time }, setValues] = React.useState(BLANK);
  const id = React.useId();
  const change = (values: Partial<typeof BLANK>): void => setValues(old => ({ ...old, ...values }));
  const create = async (): Promise<void> => {
    const times = { cron: kind === 'cron' ? time : '', every: kind === 'every' ? time : '' };
    if (await bench.runs.createSchedule({ name, ...times })) {
      setValues(BLANK);
    }
  };
  const isComplete = name !== '' && time !== '';
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      if (isComplete) {
        void create();
      }
    }
  };
  return (
    <div role="group" aria-label={trans.__('New schedule')} className="jp-Colophon-newSchedule" onKeyDown={onKeyDown}>
      <div className="jp-Colophon-field">
        <label htmlFor={`${id}-name`}>{trans.__('Name')}</label>
        <input id={`${id}-name`} value={name} onChange={event => change({ name: event.target.value })} />
      </div>
      <div className="jp-Colophon-field">
        <label htmlFor={`${id}-kind`}>{trans.__('Starts')}</label>
        <select id={`${id}-kind`} value={kind} onChange={event => change({ kind: event.target.value })}>
          <option value="cron">{trans.__('Cron expression (UTC)')}</option>
          <option value="every">{trans.__('Interval')}</option>
        </select>
      </div>
      <div className="jp-Colophon-field">
        <label htmlFor={`${id}-time`}>
          {kind === 'cron' ? trans.__('Minute, hour, day, month, day of the week') : trans.__('ISO 8601 duration')}
        </label>
        <input
          id={`${id}-time`}
          value={time}
          placeholder={kind === 'cron' ? '0 5 * * 1-5' : 'PT12H'}
          spellCheck={false}
          onChange={event => change({ time: event.target.value })}
        />
      </div>
      <button type="button" className="jp-Colophon-button" disabled={!isComplete} onClick={() => void create()}>
        {trans.__('Create')}
      </button>
    </div>
  );
}

/** The schedules of the pipeline, and a form for a new one. */
export function Schedules(props: ISchedulesProps): React.JSX.Element {
  const { bench, isStored, trans } = props;
  const { schedules, schedulerEnabled } = useModel(bench.runs);
  if (!isStored) {
    return <p className="jp-Colophon-note">{trans.__('Save the pipeline to schedule it.')}</p>;
  }
  return (
    <div className="jp-Colophon-schedules">
      {!schedulerEnabled && (
        <p role="note" className="jp-Colophon-warning">
          {trans.__('This server does not start scheduled runs: the setting c.Colophon.max_scheduled_runs is 0.')}
        </p>
      )}
      {schedules.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('No schedules.')}</p>
      ) : (
        <ScrollableTable label={trans.__('Schedules')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Schedule')}</th>
              <th scope="col">{trans.__('Starts')}</th>
              <th scope="col">{trans.__('Next run')}</th>
              <th scope="col">{trans.__('Last run')}</th>
              <th scope="col">{trans.__('Enabled')}</th>
            </tr>
          </thead>
          <tbody>
            {schedules.map(schedule => (
              <ScheduleRow key={schedule.name} {...props} schedule={schedule} />
            ))}
          </tbody>
        </ScrollableTable>
      )}
      {!bench.readOnly && <NewSchedule {...props} />}
    </div>
  );
}
