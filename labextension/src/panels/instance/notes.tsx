import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Instance } from '../../generated/api';
import { useModel } from '../../components/use-model';
import { formatTime } from '../../components/labels';
import type { InstanceModel } from './model';

/** Explains why an instance is invalid, by the reason of the server. */
function explainReason(reason: string, trans: TranslationBundle): string {
  switch (reason) {
    case 'ValidationError':
      return trans.__('This instance does not match its schema. Fix the errors below or delete it.');
    case 'ValueError':
      return trans.__('This instance is unreadable. Saving replaces it; you can also delete it.');
    case 'SchemaNotFoundError':
      return trans.__(
        'Schema not found. The package that provides it may not be installed. You can also delete the instance.'
      );
    default:
      return trans.__('This instance is invalid: %1.', reason);
  }
}

/** The errors of an invalid instance, with a button to delete it. */
export function InvalidInstance(props: {
  instance: Instance;
  remove: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { instance, remove, trans } = props;
  return (
    <div className="jp-Colophon-problem" role="alert" data-reason={instance.reason}>
      <strong>{trans.__('Invalid instance')}</strong>
      <p>{explainReason(instance.reason, trans)}</p>
      <ul>
        {instance.problems.map(({ pointer, message }, index) => (
          <li key={index}>
            {pointer !== '' && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
      {instance.deletable && (
        <button type="button" className="jp-Colophon-button" onClick={remove}>
          {trans.__('Delete')}
        </button>
      )}
    </div>
  );
}

/** The errors of a saved instance that would prevent it from working. */
export function CheckErrors(props: { model: InstanceModel; trans: TranslationBundle }): React.JSX.Element | null {
  const { model, trans } = props;
  const { checkErrors, removed } = useModel(model);
  if (checkErrors.length === 0 || removed) {
    return null;
  }
  return (
    <div role="status" className="jp-Colophon-warning" data-findings={checkErrors.length}>
      {trans.__('Saved, but it cannot run because of these errors:')}
      <ul>
        {checkErrors.map(({ pointer, message }, index) => (
          <li key={index}>
            {pointer !== '' && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The instance was deleted and can be restored from its history, or it never existed. */
export function DeletedNote(props: {
  hasChanges: boolean;
  hasHistory: boolean;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { hasChanges, hasHistory, trans } = props;
  const explanation = hasHistory
    ? trans.__('This instance was deleted. An earlier version can be restored below.')
    : trans.__('Instance not found.');
  return (
    <p role="status" className="jp-Colophon-warning">
      {hasChanges ? trans.__('This instance was deleted in the meantime. Saving creates it again.') : explanation}
    </p>
  );
}

/** The instance is shared: saving it creates a copy. */
export function SharedNote(props: { trans: TranslationBundle }): React.JSX.Element {
  return (
    <p role="note" className="jp-Colophon-note">
      {props.trans.__('This instance is in a shared folder. Saving creates your own copy, which is used instead.')}
    </p>
  );
}

/** A draft was restored after a reload. */
export function RecoveredDraft(props: {
  time: string;
  model: InstanceModel;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { time, model, trans } = props;
  return (
    <p role="status" className="jp-Colophon-warning">
      {trans.__('Unsaved changes from %1 were restored; enter secrets again.', formatTime(time))}{' '}
      <button type="button" className="jp-Colophon-link" onClick={() => model.discard()}>
        {trans.__('Discard them')}
      </button>
    </p>
  );
}

/** The choice of a schema for an instance whose schema is unknown. */
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
        {instance?.reason === 'ValueError' ? trans.__('Replace') : trans.__('Edit with this schema')}
      </button>
    </div>
  );
}
