import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { getDescriptionIds, useChoices } from '../context';
import { Combobox } from './combobox';
import { getField, FieldFrame } from './frame';

/** A text field with suggestions; other values can be typed. */
export function DropdownField(props: FieldProps<string>): React.JSX.Element {
  const field = getField(props);
  const { context, id, pointer, invalid } = field;
  const choices = useChoices(context, pointer, props.schema);
  return (
    <FieldFrame field={field} required={props.required} description={props.schema.description}>
      <Combobox
        id={id}
        value={typeof props.formData === 'string' ? props.formData : ''}
        choices={choices}
        placeholder={props.uiSchema?.['ui:placeholder']}
        describedBy={getDescriptionIds(id)}
        invalid={invalid}
        required={props.required === true}
        trans={context.trans}
        onChange={text => void props.onChange(text === '' ? undefined : text)}
        onLeave={() => context.touch(pointer)}
      />
    </FieldFrame>
  );
}
