import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { useChoices } from '../context';
import { fieldOf } from './frame';
import { TagInput } from './tag-input';

/** Tags, with those of other documents as suggestions. */
export function TagsField(props: FieldProps<string[]>): React.JSX.Element {
  const { context, pointer } = fieldOf(props);
  const choices = useChoices(context, pointer, props.schema);
  return <TagInput {...props} choices={choices} />;
}
