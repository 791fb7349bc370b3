import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { usePanelModel } from '../use-panel-model';
import type { HomeModel } from './home-model';

interface ISecretProps {
  model: HomeModel;
  trans: TranslationBundle;
  choose(secret: string): void;
}

/** Stores a password as a new secret of the namespace, and chooses it. */
function NewSecret(props: ISecretProps & { close(): void }): React.JSX.Element {
  const { model, trans, choose, close } = props;
  const { secrets, busy } = usePanelModel(model);
  const [name, setName] = React.useState('');
  const [value, setValue] = React.useState('');
  const [error, setError] = React.useState('');
  const store = async (): Promise<void> => {
    const refusal = secrets.some(secret => secret.name === name)
      ? trans.__('The secret %1 exists: choose it above, or enter another name.', name)
      : await model.storeSecret(name, value);
    setError(refusal);
    if (refusal === '' && model.state.failure === null) {
      choose(name);
      close();
    }
  };
  // The form of the connection, which contains this one, is not submitted.
  const submitOnEnter = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      void store();
    }
  };
  return (
    <fieldset className="jp-Dataprep-form" onKeyDown={submitOnEnter}>
      <legend>{trans.__('New secret')}</legend>
      <label>
        {trans.__('Name of the secret')}
        <input value={name} autoFocus onChange={event => setName(event.target.value)} />
      </label>
      <label>
        {trans.__('Password')}
        <input
          type="password"
          autoComplete="new-password"
          value={value}
          onChange={event => setValue(event.target.value)}
        />
      </label>
      {error !== '' && (
        <p className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
      <div className="jp-Colophon-actions">
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={busy || name === '' || value === ''}
          onClick={() => void store()}
        >
          {trans.__('Store the secret')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel the new secret')}
        </button>
      </div>
    </fieldset>
  );
}

/** Chooses a secret of the namespace, or creates one. */
export function SecretField(
  props: ISecretProps & { label: string; secret: string; isRequired: boolean; description: object }
): React.JSX.Element {
  const { model, trans, choose, label, secret, isRequired, description } = props;
  const { secrets } = usePanelModel(model);
  const [isNew, setIsNew] = React.useState(false);
  const select = React.useRef<HTMLSelectElement>(null);
  React.useEffect(() => void model.loadSecrets(), [model]);
  const close = (): void => {
    setIsNew(false);
    select.current?.focus();
  };
  const isMissing = secret !== '' && secrets.every(({ name }) => name !== secret);
  return (
    <>
      <label>
        {label}
        <select
          ref={select}
          value={secret}
          required={isRequired}
          onChange={event => choose(event.target.value)}
          {...description}
        >
          <option value="">{trans.__('None')}</option>
          {isMissing && <option>{secret}</option>}
          {secrets.map(({ name, description: about }) => (
            <option key={name} value={name}>
              {about === '' ? name : trans.__('%1 (%2)', name, about)}
            </option>
          ))}
        </select>
      </label>
      {isNew ? (
        <NewSecret model={model} trans={trans} choose={choose} close={close} />
      ) : (
        <button type="button" className="jp-Colophon-button" onClick={() => setIsNew(true)}>
          {trans.__('New secret')}
        </button>
      )}
    </>
  );
}
