import React from 'react';

/** A text input with a label above it. */
export function TextInput(
  props: Omit<React.InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
    label: string;
    value: string;
    setValue: (value: string) => void;
  }
): React.JSX.Element {
  const { label, setValue, ...input } = props;
  return (
    <label>
      {label}
      <input type="text" spellCheck={false} {...input} onChange={event => setValue(event.target.value)} />
    </label>
  );
}
