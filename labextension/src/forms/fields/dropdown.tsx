import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { describedBy, useChoices } from '../context';
import { Combobox } from './combobox';
import { fieldOf, Frame } from './frame';

/** A text with suggestions; any other text may be typed as well. */
export function DropdownField(props: FieldProps<string>): React.JSX.Element {
  const field = fieldOf(props);
  const { context, id, pointer, invalid } = field;
  const choices = useChoices(context, pointer, props.schema);
  return (
    <Frame field={field} required={props.required} description={props.schema.description}>
      <Combobox
        id={id}
        value={typeof props.formData === 'string' ? props.formData : ''}
        choices={choices}
        placeholder={props.uiSchema?.['ui:placeholder']}
        described={describedBy(id)}
        invalid={invalid}
        required={props.required === true}
        trans={context.trans}
        onChange={text => void props.onChange(text === '' ? undefined : text)}
        onLeave={() => context.touch(pointer)}
      />
    </Frame>
  );
}
