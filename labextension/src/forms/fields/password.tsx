import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { isPlaceholder, placeholder } from '../../model/secrets';
import type { IFormContext } from '../context';
import { describedBy } from '../context';
import { fieldOf, Frame } from './frame';

interface IKeepProps {
  context: IFormContext;
  title: string;
  value: unknown;
  set: (value: unknown) => void;
}

/** Says what becomes of the secret that the server keeps, and offers the other thing. */
function Keep({ context, title, value, set }: IKeepProps): React.JSX.Element {
  const { trans } = context;
  const kept = isPlaceholder(value);
  const states = {
    kept: trans.__('One is kept, and stays as it is unless you type another.'),
    gone: trans.__('The one that is kept will be removed.'),
    other: trans.__('What you typed will replace the one that is kept.')
  };
  return (
    <div className="jp-Colophon-kept">
      <span role="status">{kept ? states.kept : value === undefined ? states.gone : states.other}</span>
      <button
        type="button"
        className="jp-Colophon-link"
        aria-label={kept ? trans.__('Remove the kept value of %1', title) : trans.__('Leave %1 unchanged', title)}
        onClick={() => set(kept ? undefined : placeholder())}
      >
        {kept ? trans.__('Remove') : trans.__('Leave unchanged')}
      </button>
    </div>
  );
}

/** A secret: what the server keeps is never shown; it can be left as it is, replaced or removed. */
export function PasswordField(props: FieldProps): React.JSX.Element {
  const field = fieldOf(props);
  const { context, id, pointer, title, invalid } = field;
  const { trans } = context;
  const value: unknown = props.formData;
  const [revealed, setRevealed] = React.useState(false);
  const [wasKept, setWasKept] = React.useState(isPlaceholder(value));
  if (isPlaceholder(value) && !wasKept) {
    setWasKept(true);
  }
  const typed = typeof value === 'string' ? value : '';
  const set = (next: unknown): void => void props.onChange(next);
  return (
    <Frame field={field} required={props.required} description={props.schema.description}>
      <div className="jp-Colophon-secret">
        <input
          id={id}
          type={revealed ? 'text' : 'password'}
          // The browser would else offer the password for JupyterLab itself.
          autoComplete="new-password"
          spellCheck={false}
          aria-describedby={describedBy(id)}
          aria-invalid={invalid}
          aria-required={props.required}
          placeholder={isPlaceholder(value) ? '••••••••' : undefined}
          value={typed}
          onChange={event =>
            set(event.target.value === '' ? (wasKept ? placeholder() : undefined) : event.target.value)
          }
          onBlur={() => context.touch(pointer)}
        />
        <button
          type="button"
          className="jp-Colophon-button"
          aria-pressed={revealed}
          aria-label={trans.__('Show what is typed in %1', title)}
          disabled={typed === ''}
          onClick={() => setRevealed(!revealed)}
        >
          {revealed ? trans.__('Hide') : trans.__('Show')}
        </button>
      </div>
      {wasKept && <Keep context={context} title={title} value={value} set={set} />}
    </Frame>
  );
}
