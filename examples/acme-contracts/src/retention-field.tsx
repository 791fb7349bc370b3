import type { FieldProps } from '@rjsf/utils';
import React from 'react';

/** A number of days, with buttons for the usual ones. */
export function RetentionField(props: FieldProps<number | undefined>): React.JSX.Element {
  const { formData, onChange, idSchema, schema, disabled } = props;
  const id = idSchema.$id;
  const usual = (schema.examples ?? []) as number[];
  return (
    <>
      <input
        id={id}
        type="number"
        value={formData ?? ''}
        disabled={disabled}
        aria-describedby={`${id}__error ${id}__description`}
        onChange={event => onChange(event.target.value === '' ? undefined : Number(event.target.value))}
      />
      {usual.map(days => (
        <button key={days} type="button" disabled={disabled} onClick={() => onChange(days)}>
          {days} days
        </button>
      ))}
    </>
  );
}
