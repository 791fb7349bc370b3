import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { getColumnLabel, getStatusLabel } from './format';
import type { ReportsModel } from './model';
import type { Measure } from './report';
import { GROUPS, MEASURES, STATUSES } from './report';
import type { TextName } from './report-form';
import { INTERVALS } from './report-form';

interface IFormProps {
  model: ReportsModel;
  trans: TranslationBundle;
}

function getIntervalLabel(interval: string, trans: TranslationBundle): string {
  const labels: Record<string, string> = {
    '24h': trans.__('Last 24 hours'),
    '7d': trans.__('Last 7 days'),
    '4w': trans.__('Last 4 weeks'),
    '13w': trans.__('Last 13 weeks'),
    custom: trans.__('Between two times')
  };
  return labels[interval] ?? trans.__('Last %1', interval);
}

/** A text of the form. */
function TextField(props: IFormProps & { label: string; name: TextName; hint?: string; type?: string }) {
  const { model, label, name, hint, type = 'text' } = props;
  const { form } = usePanelModel(model);
  return (
    <label>
      {label}
      <input
        type={type}
        value={form[name]}
        placeholder={hint}
        onChange={event => model.change({ [name]: event.target.value })}
      />
    </label>
  );
}

/** Chooses any of several values. */
function Choices<T extends string>(props: {
  legend: string;
  values: readonly T[];
  chosen: readonly T[];
  getLabel: (value: T) => string;
  change: (chosen: T[]) => void;
}): React.JSX.Element {
  const { legend, values, chosen, getLabel, change } = props;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map(value => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={event =>
              change(event.target.checked ? [...chosen, value] : chosen.filter(other => other !== value))
            }
          />
          {getLabel(value)}
        </label>
      ))}
    </fieldset>
  );
}

/** Why the server refuses what was entered; nothing if it does not. */
function Refusal({ problem }: { problem: string }): React.JSX.Element | null {
  return problem === '' ? null : (
    <p role="alert" className="jp-Colophon-error">
      {problem}
    </p>
  );
}

/** The interval, filters, groups and order of a report. */
export function ReportForm({ model, trans }: IFormProps): React.JSX.Element {
  const { form, problem, busy } = usePanelModel(model);
  const intervals: string[] = [...INTERVALS];
  if (!intervals.includes(form.interval)) {
    intervals.unshift(form.interval);
  }
  const show = (event: React.FormEvent): void => {
    event.preventDefault();
    void model.show();
  };
  const hint = trans.__('all; separated by commas');
  return (
    <form className="jp-Colophon-card-section jp-Reports-form" aria-label={trans.__('Report')} onSubmit={show}>
      <div className="jp-Reports-fields">
        <label>
          {trans.__('Interval')}
          <select value={form.interval} onChange={event => model.change({ interval: event.target.value })}>
            {intervals.map(interval => (
              <option key={interval} value={interval}>
                {getIntervalLabel(interval, trans)}
              </option>
            ))}
          </select>
        </label>
        {form.interval === 'custom' && (
          <>
            <TextField {...{ model, trans }} label={trans.__('From')} name="from" type="datetime-local" />
            <TextField {...{ model, trans }} label={trans.__('To')} name="to" type="datetime-local" />
          </>
        )}
        <TextField {...{ model, trans, hint }} label={trans.__('Namespaces')} name="namespaces" />
        <TextField {...{ model, trans, hint }} label={trans.__('Programs')} name="programs" />
        <TextField {...{ model, trans, hint }} label={trans.__('Types')} name="types" />
        <TextField {...{ model, trans, hint }} label={trans.__('Users')} name="users" />
        <label>
          {trans.__('Measure')}
          <select value={form.sort} onChange={event => model.change({ sort: event.target.value as Measure })}>
            {MEASURES.map(measure => (
              <option key={measure} value={measure}>
                {getColumnLabel(measure, trans)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Choices
        legend={trans.__('Group by')}
        values={GROUPS}
        chosen={form.groupBy}
        getLabel={group => getColumnLabel(group, trans)}
        change={groupBy => model.change({ groupBy })}
      />
      <Choices
        legend={trans.__('Only these statuses')}
        values={STATUSES}
        chosen={form.statuses}
        getLabel={status => getStatusLabel(status, trans)}
        change={statuses => model.change({ statuses })}
      />
      <Refusal problem={problem} />
      <div className="jp-Colophon-actions">
        <button className="jp-Colophon-button jp-mod-primary" disabled={busy}>
          {trans.__('Show')}
        </button>
      </div>
    </form>
  );
}

/** Saves the form, with a schedule, and lists what was generated. */
export function SavedReports({ model, trans }: IFormProps): React.JSX.Element {
  const { form, definitions, saved, saveProblem, generated, shownNumber, busy } = usePanelModel(model);
  const found = definitions.find(({ id }) => id === saved);
  const next = found?.nextMs;
  return (
    <section className="jp-Colophon-card-section jp-Reports-form" aria-label={trans.__('Saved reports')}>
      <h2>{trans.__('Saved reports')}</h2>
      <div className="jp-Reports-fields">
        <label>
          {trans.__('Saved report')}
          <select value={saved} onChange={event => void model.choose(event.target.value)}>
            <option value="">{trans.__('New report')}</option>
            {definitions.map(({ id, definition }) => (
              <option key={id} value={id}>
                {definition.name}
              </option>
            ))}
          </select>
        </label>
        <TextField {...{ model, trans }} label={trans.__('Name')} name="name" />
        <TextField
          {...{ model, trans }}
          label={trans.__('Schedule (UTC)')}
          name="schedule"
          hint={trans.__('none; P1D, or cron: 0 5 * * 1-5')}
        />
      </div>
      {typeof next === 'number' && (
        <p className="jp-Colophon-note">{trans.__('Next report: %1', new Date(next).toLocaleString())}</p>
      )}
      <Refusal problem={saveProblem} />
      <div className="jp-Colophon-actions">
        <button
          type="button"
          className="jp-Colophon-button"
          // Disabled while it saves, it would lose the focus.
          disabled={form.name.trim() === ''}
          onClick={() => void (busy || model.save())}
        >
          {trans.__('Save')}
        </button>
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={saved === ''}
          onClick={() => void (busy || model.generate())}
        >
          {trans.__('Generate now')}
        </button>
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={busy || saved === ''}
          onClick={() => void model.delete()}
        >
          {trans.__('Delete')}
        </button>
      </div>
      {saved !== '' && generated.length > 0 && (
        <ul className="jp-Reports-generated" aria-label={trans.__('Generated reports')}>
          {generated.map(({ number, generatedMs, trigger, status, problem }) => (
            <li key={number}>
              <button
                type="button"
                className="jp-Colophon-link"
                aria-current={number === shownNumber}
                disabled={status === 'failed'}
                onClick={() => void model.open(number)}
              >
                {new Date(generatedMs).toLocaleString()}
              </button>
              <span>{trigger === 'schedule' ? trans.__('by schedule') : trans.__('by request')}</span>
              {problem !== '' && <span>{problem}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
