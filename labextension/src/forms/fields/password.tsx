import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { isPlaceholder, createPlaceholder } from '../../model/instances/secrets';
import type { IFormContext } from '../context';
import { getDescriptionIds } from '../context';
import { getField, FieldFrame } from './frame';

interface IStoredSecretProps {
  context: IFormContext;
  title: string;
  value: unknown;
  set: (value: unknown) => void;
}

/** What saving does to the stored secret, with a button for the alternative. */
function StoredSecretNote({ context, title, value, set }: IStoredSecretProps): React.JSX.Element {
  const { trans } = context;
  const isKept = isPlaceholder(value);
  const states = {
    stored: trans.__('A secret is stored. Leave empty to keep it.'),
    removed: trans.__('The stored secret will be removed.'),
    replaced: trans.__('The stored secret will be replaced.')
  };
  return (
    <div className="jp-Colophon-stored-secret">
      <span role="status">{isKept ? states.stored : value === undefined ? states.removed : states.replaced}</span>
      <button
        type="button"
        className="jp-Colophon-link"
        aria-label={
          isKept ? trans.__('Remove the stored secret of %1', title) : trans.__('Keep the stored secret of %1', title)
        }
        onClick={() => set(isKept ? undefined : createPlaceholder())}
      >
        {isKept ? trans.__('Remove') : trans.__('Keep')}
      </button>
    </div>
  );
}

/** A field for a secret. The stored value is never shown; it can be kept, replaced or removed. */
export function PasswordField(props: FieldProps): React.JSX.Element {
  const field = getField(props);
  const { context, id, pointer, title, invalid } = field;
  const { trans } = context;
  const value: unknown = props.formData;
  const [revealed, setRevealed] = React.useState(false);
  const [isStored, setIsStored] = React.useState(isPlaceholder(value));
  if (isPlaceholder(value) && !isStored) {
    setIsStored(true);
  }
  const typed = typeof value === 'string' ? value : '';
  const setValue = (next: unknown): void => void props.onChange(next);
  return (
    <FieldFrame field={field} required={props.required} description={props.schema.description}>
      <div className="jp-Colophon-secret">
        <input
          id={id}
          type={revealed ? 'text' : 'password'}
          // Otherwise, the browser would offer the password for JupyterLab.
          autoComplete="new-password"
          spellCheck={false}
          aria-describedby={getDescriptionIds(id)}
          aria-invalid={invalid}
          aria-required={props.required}
          placeholder={isPlaceholder(value) ? '••••••••' : undefined}
          value={typed}
          onChange={event =>
            setValue(event.target.value === '' ? (isStored ? createPlaceholder() : undefined) : event.target.value)
          }
          onBlur={() => context.touch(pointer)}
        />
        <button
          type="button"
          className="jp-Colophon-button"
          aria-pressed={revealed}
          aria-label={trans.__('Show %1', title)}
          disabled={typed === ''}
          onClick={() => setRevealed(!revealed)}
        >
          {revealed ? trans.__('Hide') : trans.__('Show')}
        </button>
      </div>
      {isStored && <StoredSecretNote context={context} title={title} value={value} set={setValue} />}
    </FieldFrame>
  );
}
