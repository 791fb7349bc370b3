import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { ShortForm } from '../../components/short-form';
import { TextInput } from '../../components/text-input';
import type { Registry, RetentionRule } from '../../generated/api';
import { ANY, DAY_S, getPlace } from './model';

/** A new rule: for everything, without limits. */
export const NEW_RULE: RetentionRule = {
  ...{ namespace: ANY, entity: ANY, aspect: ANY },
  maxVersions: null,
  maxAgeInSeconds: null
};

/** Returns the aspects of an entity type, or of any, and the present one, which may be unknown. */
function listAspects(types: Registry['types'], entity: string, present: string): string[] {
  const matching = types.filter(({ type }) => entity === ANY || type === entity);
  const names = matching.flatMap(({ aspects, keyAspect }) => aspects.filter(name => name !== keyAspect));
  return [...new Set([...names, present])].filter(name => name !== ANY).sort();
}

/** A choice among names, of which the first stands for any. */
function NameChoice(props: {
  label: string;
  names: readonly string[];
  getLabel?: (name: string) => string;
  value: string;
  choose: (name: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { label, names, getLabel = name => name, value, choose, trans } = props;
  return (
    <label>
      {label}
      <select value={value} onChange={event => choose(event.target.value)}>
        <option value={ANY}>{trans.__('any')}</option>
        {names.map(name => (
          <option key={name} value={name}>
            {getLabel(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Reads a limit that the user entered; null without one. */
function readLimit(text: string, unit: number): number | null {
  return text === '' ? null : Math.round(Number(text) * unit);
}

/** The form of a new or edited rule. Enter accepts it, Escape cancels. */
export function RuleForm(props: {
  rule: RetentionRule;
  /** The rules besides this one. */
  others: readonly RetentionRule[];
  types: Registry['types'];
  accept: (rule: RetentionRule) => void;
  close: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { rule, others, types, accept, close, trans } = props;
  const [draft, setDraft] = React.useState(rule);
  const [namespace, setNamespace] = React.useState(rule.namespace === ANY ? '' : rule.namespace);
  const [versions, setVersions] = React.useState(String(rule.maxVersions ?? ''));
  const [days, setDays] = React.useState(rule.maxAgeInSeconds === null ? '' : String(rule.maxAgeInSeconds / DAY_S));
  const id = React.useId();
  const entered: RetentionRule = {
    ...draft,
    namespace: namespace.trim() === '' ? ANY : namespace.trim(),
    maxVersions: readLimit(versions, 1),
    maxAgeInSeconds: readLimit(days, DAY_S)
  };
  const isTaken = others.some(other => getPlace(other) === getPlace(entered));
  const knownTypes = [...new Set([...types.map(({ type }) => type), draft.entity])].filter(type => type !== ANY);
  return (
    <ShortForm
      className="jp-Colophon-newEntry"
      label={trans.__('Rule')}
      submit={() => !isTaken && accept(entered)}
      close={close}
    >
      <TextInput
        label={trans.__('Namespace')}
        placeholder={trans.__('any')}
        autoFocus
        value={namespace}
        setValue={setNamespace}
        aria-invalid={isTaken}
        aria-describedby={`${id}-error`}
      />
      <NameChoice
        label={trans.__('Entity type')}
        names={knownTypes.sort()}
        getLabel={type => getTypeLabel(type, trans)}
        value={draft.entity}
        choose={entity => setDraft(previous => ({ ...previous, entity }))}
        trans={trans}
      />
      <NameChoice
        label={trans.__('Aspect')}
        names={listAspects(types, draft.entity, draft.aspect)}
        value={draft.aspect}
        choose={aspect => setDraft(previous => ({ ...previous, aspect }))}
        trans={trans}
      />
      <TextInput
        label={trans.__('Most versions, with the current one')}
        placeholder={trans.__('no limit')}
        type="number"
        min={1}
        step={1}
        value={versions}
        setValue={setVersions}
      />
      <TextInput
        label={trans.__('Days for which a version is kept after it was replaced')}
        placeholder={trans.__('no limit')}
        type="number"
        min={1 / DAY_S}
        max={1_000_000}
        step="any"
        value={days}
        setValue={setDays}
      />
      <div id={`${id}-error`} role="alert" className={isTaken ? 'jp-Colophon-error' : undefined}>
        {isTaken && trans.__('There is a rule for this namespace, entity type and aspect.')}
      </div>
      <p className="jp-Colophon-note">
        {draft.aspect === ANY ? trans.__('For any aspect, the rule applies to system metadata only. ') : ''}
        {entered.maxVersions === null && entered.maxAgeInSeconds === null
          ? trans.__('Without limits, all versions are kept.')
          : trans.__('Versions beyond either limit are deleted.')}
      </p>
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary">
          {trans.__('Apply')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}
