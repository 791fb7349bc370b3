import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { buildMembers, findRefusedField, listFields, readValues, TYPES } from './connection-fields';
import type { ConnectionMember, ConnectionType, FieldValues, IConnectionField } from './connection-fields';
import { getChoiceLabel, getExample, getFieldLabel, getTypeLabel } from './connection-labels';
import type { IConnection } from './documents';
import type { HomeModel } from './home-model';
import { SecretField } from './secret-field';

interface IFormProps {
  model: HomeModel;
  trans: TranslationBundle;
}

/** A field of the type of a connection. */
function Field(
  props: IFormProps & { field: IConnectionField; value: string; change(value: string): void; description: object }
): React.JSX.Element {
  const { model, trans, field, value, change, description } = props;
  const { name, isRequired = false, choices } = field;
  const label = getFieldLabel(name, trans);
  if (name === 'passwordSecret') {
    return (
      <SecretField
        model={model}
        trans={trans}
        label={label}
        secret={value}
        isRequired={isRequired}
        choose={change}
        description={description}
      />
    );
  }
  return (
    <label>
      {label}
      {choices ? (
        <select value={value || choices[0]} onChange={event => change(event.target.value)} {...description}>
          {choices.map(choice => (
            <option key={choice} value={choice}>
              {getChoiceLabel(name, choice, trans)}
            </option>
          ))}
        </select>
      ) : (
        <input
          value={value}
          required={isRequired}
          placeholder={getExample(name, trans)}
          onChange={event => change(event.target.value)}
          {...description}
        />
      )}
    </label>
  );
}

/** Creates or changes a connection, and tests it before. */
export function ConnectionForm(props: IFormProps & { connection: IConnection; close(): void }): React.JSX.Element {
  const { model, trans, connection, close } = props;
  const [isSending, setSending] = React.useState(false);
  const [name, setName] = React.useState(connection.name);
  const [type, setType] = React.useState(connection.type);
  const [description, setDescription] = React.useState(connection.description ?? '');
  const [values, setValues] = React.useState<FieldValues>(() => readValues(connection));
  const [error, setError] = React.useState('');
  const [message, setMessage] = React.useState('');
  const isNew = connection.name === '';
  const build = (): Omit<IConnection, 'name'> => ({ ...buildMembers(type, values), description });
  const change = (member: ConnectionMember, value: string): void => {
    setValues({ ...values, [member]: value });
    setMessage('');
  };
  const submit = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    if (isSending) {
      return;
    }
    setSending(true);
    setMessage('');
    const refusal = await model.saveConnection({ ...build(), name });
    setSending(false);
    setError(refusal);
    if (refusal === '' && model.state.failure === null) {
      close();
    }
  };
  const test = async (): Promise<void> => {
    if (isSending) {
      return;
    }
    setSending(true);
    setMessage('');
    const result = await model.testConnection(build());
    setSending(false);
    setError(result.refusal);
    setMessage(result.message);
  };
  const refused = error === '' ? null : findRefusedField(error, type);
  const describe = (member: ConnectionMember | 'name'): object =>
    member === refused ? { 'aria-invalid': true, 'aria-describedby': 'dataprep-refusal' } : {};
  return (
    <form
      className="jp-Dataprep-form"
      aria-label={isNew ? trans.__('New connection') : trans.__('Connection %1', connection.name)}
      onSubmit={event => void submit(event)}
    >
      {isNew && (
        <>
          <label>
            {trans.__('Name')}
            <input
              value={name}
              required
              autoFocus
              onChange={event => setName(event.target.value)}
              {...describe('name')}
            />
          </label>
          <label>
            {trans.__('Type')}
            <select
              value={type}
              onChange={event => {
                setType(event.target.value as ConnectionType);
                setValues({});
                setError('');
                setMessage('');
              }}
            >
              {TYPES.map(each => (
                <option key={each} value={each}>
                  {getTypeLabel(each, trans)}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      {listFields(type, values).map(field => (
        <Field
          key={field.name}
          model={model}
          trans={trans}
          field={field}
          value={values[field.name] ?? ''}
          change={value => change(field.name, value)}
          description={describe(field.name)}
        />
      ))}
      <label>
        {trans.__('Description')}
        <input value={description} onChange={event => setDescription(event.target.value)} />
      </label>
      {error !== '' && (
        <p id="dataprep-refusal" className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
      <p role="status" className="jp-Colophon-note">
        {message !== '' && trans.__('The connection works: %1', message)}
      </p>
      <div className="jp-Colophon-actions">
        <button className="jp-Colophon-button jp-mod-primary" aria-disabled={isSending}>
          {trans.__('Save')}
        </button>
        <button type="button" className="jp-Colophon-button" aria-disabled={isSending} onClick={() => void test()}>
          {trans.__('Test')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}
