import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Instance } from '../../generated/api';
import { useModel } from '../../components/use-model';
import { moment } from '../../components/words';
import type { InstanceModel } from './model';

/** What is wrong with an instance as a whole, by the cause that the server names. */
function causeOf(reason: string, trans: TranslationBundle): string {
  switch (reason) {
    case 'ValidationError':
      return trans.__('It does not satisfy its schema. Mend it below and save, or remove it.');
    case 'ValueError':
      return trans.__('It cannot be read. What you save here replaces it; you can also remove it.');
    case 'SchemaNotFoundError':
      return trans.__('Its schema is not there. Perhaps a package is missing that brings it; you can also remove it.');
    default:
      return trans.__('It cannot be used: %1.', reason);
  }
}

/** Why an instance is broken, and the way to be rid of it. */
export function Broken(props: { instance: Instance; remove: () => void; trans: TranslationBundle }): React.JSX.Element {
  const { instance, remove, trans } = props;
  return (
    <div className="jp-Colophon-problem" role="alert" data-reason={instance.reason}>
      <strong>{trans.__('This is not valid')}</strong>
      <p>{causeOf(instance.reason, trans)}</p>
      <ul>
        {instance.problems.map(({ pointer, message }, index) => (
          <li key={index}>
            {pointer !== '' && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
      {instance.deletable && (
        <button type="button" className="jp-Colophon-button" onClick={remove}>
          {trans.__('Remove it')}
        </button>
      )}
    </div>
  );
}

/** It is kept, and would not do what it is for. */
export function Unready(props: { model: InstanceModel; trans: TranslationBundle }): React.JSX.Element | null {
  const { model, trans } = props;
  const { findings, removed } = useModel(model);
  if (findings.length === 0 || removed) {
    return null;
  }
  return (
    <div role="status" className="jp-Colophon-warning" data-findings={findings.length}>
      {trans.__('This is saved, but would be refused when it is run:')}
      <ul>
        {findings.map(({ pointer, message }, index) => (
          <li key={index}>
            {pointer !== '' && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** It was there and is gone, and its history can bring it back; or it never was. */
export function Removed(props: { typed: boolean; known: boolean; trans: TranslationBundle }): React.JSX.Element {
  const { typed, known, trans } = props;
  const gone = known
    ? trans.__('This was removed. An earlier version can be restored below.')
    : trans.__('There is no such instance.');
  return (
    <p role="status" className="jp-Colophon-warning">
      {typed ? trans.__('This was removed meanwhile. Saving makes it anew.') : gone}
    </p>
  );
}

/** It belongs to everybody here: what is saved becomes a copy. */
export function Shared(props: { trans: TranslationBundle }): React.JSX.Element {
  return (
    <p role="note" className="jp-Colophon-note">
      {props.trans.__(
        'This comes from a shared folder. What you save becomes a copy of your own that is used instead.'
      )}
    </p>
  );
}

/** What was typed before a reload is back. */
export function Recovered(props: { time: string; model: InstanceModel; trans: TranslationBundle }): React.JSX.Element {
  const { time, model, trans } = props;
  return (
    <p role="status" className="jp-Colophon-warning">
      {trans.__('What you typed until %1 is back; secrets have to be typed again.', moment(time))}{' '}
      <button type="button" className="jp-Colophon-link" onClick={() => model.discard()}>
        {trans.__('Drop it')}
      </button>
    </p>
  );
}

/** Nobody knows of which schema it is: a person may say so, and then replace it. */
export function SchemaChoice(props: { model: InstanceModel; trans: TranslationBundle }): React.JSX.Element | null {
  const { model, trans } = props;
  const { space, mayEdit, instance } = useModel(model);
  const [chosen, setChosen] = React.useState('');
  const schemas = (space?.schemas ?? []).filter(schema => !schema.deprecated);
  const name = chosen === '' ? (schemas[0]?.name ?? '') : chosen;
  if (!mayEdit || name === '') {
    return null;
  }
  return (
    <div className="jp-Colophon-actions">
      <label className="jp-Colophon-choice">
        {trans.__('Schema')}
        <select value={name} onChange={event => setChosen(event.target.value)}>
          {schemas.map(schema => (
            <option key={schema.name} value={schema.name}>
              {schema.title}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="jp-Colophon-button" onClick={() => void model.chooseSchema(name)}>
        {instance?.reason === 'ValueError' ? trans.__('Replace it') : trans.__('Edit by this schema')}
      </button>
    </div>
  );
}
