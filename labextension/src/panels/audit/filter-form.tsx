import React from 'react';
import { IntervalInputs } from '../../components/interval-inputs';
import { TextInput } from '../../components/text-input';
import { useModel } from '../../components/use-model';
import type { Interval } from '../../model/interval';
import type { IAuditProps } from './body';
import { describeAction, getOutcomeLabel } from './labels';
import type { IAuditFilter } from './model';
import { ACTIONS, NO_FILTER, OUTCOMES } from './model';

/** A choice with a label above it; the first option selects all. */
function Choice<T extends string>(props: {
  label: string;
  all: string;
  options: readonly (readonly [T, string])[];
  value: T | '';
  choose: (value: T | '') => void;
}): React.JSX.Element {
  const { label, all, options, value, choose } = props;
  return (
    <label>
      {label}
      <select value={value} onChange={event => choose(event.target.value as T | '')}>
        <option value="">{all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Selects which entries are listed and exported. Enter applies the filter. */
export function FilterForm({ model, actions, trans }: IAuditProps): React.JSX.Element {
  const { filter } = useModel(model);
  const [draft, setDraft] = React.useState(filter);
  const change = (part: Partial<IAuditFilter>): void => setDraft(previous => ({ ...previous, ...part }));
  const apply = (chosen: IAuditFilter): void => {
    const { user, urn, program, run } = chosen;
    const trimmed = { user: user.trim(), urn: urn.trim(), program: program.trim(), run: run.trim() };
    setDraft({ ...chosen, ...trimmed });
    void model.select({ ...chosen, ...trimmed });
  };
  const reset = (): void => {
    setDraft(NO_FILTER);
    void model.select(NO_FILTER);
  };
  const choosePeriod = (kind: Interval['kind'] | ''): void => {
    if (kind !== '') {
      change({ interval: kind === 'custom' ? { kind, from: '', to: '' } : { kind } });
    }
  };
  const chooseEntity = async (): Promise<void> => {
    const urn = await actions.pickEntity();
    if (urn !== null) {
      apply({ ...draft, urn });
    }
  };
  const text = (name: 'user' | 'urn' | 'program' | 'run', label: string, placeholder: string): React.JSX.Element => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={draft[name]}
      setValue={value => change({ [name]: value })}
    />
  );
  const all = trans.__('All');
  return (
    <form
      className="jp-Colophon-form"
      aria-label={trans.__('Filter')}
      onSubmit={event => {
        event.preventDefault();
        apply(draft);
      }}
    >
      <div className="jp-Colophon-filterGrid">
        {text('user', trans.__('User'), trans.__('A user, or service:NAME'))}
        {text('urn', trans.__('Entity'), trans.__('A URN'))}
        {text('program', trans.__('Program'), trans.__('A URN'))}
        {text('run', trans.__('Run'), trans.__('A URN'))}
        <Choice
          label={trans.__('Action')}
          all={all}
          options={ACTIONS.map(action => [action, describeAction(action, trans).join(': ')] as const)}
          value={draft.action}
          choose={action => change({ action })}
        />
        <Choice
          label={trans.__('Outcome')}
          all={all}
          options={OUTCOMES.map(outcome => [outcome, getOutcomeLabel(outcome, trans)] as const)}
          value={draft.outcome}
          choose={outcome => change({ outcome })}
        />
        <label>
          {trans.__('Time')}
          <select value={draft.interval.kind} onChange={event => choosePeriod(event.target.value as Interval['kind'])}>
            <option value="all">{all}</option>
            <option value="hour">{trans.__('Last hour')}</option>
            <option value="day">{trans.__('Last 24 hours')}</option>
            <option value="week">{trans.__('Last 7 days')}</option>
            <option value="custom">{trans.__('From … to …')}</option>
          </select>
        </label>
      </div>
      <IntervalInputs interval={draft.interval} choose={interval => change({ interval })} trans={trans} />
      <div className="jp-Colophon-actions">
        <button type="submit" className="jp-Colophon-button jp-mod-primary">
          {trans.__('Filter')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={() => void chooseEntity()}>
          {trans.__('Choose the entity…')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={reset}>
          {trans.__('Show all')}
        </button>
      </div>
    </form>
  );
}
