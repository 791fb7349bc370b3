import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { useChoices } from '../context';
import { getField } from './frame';
import { TagInput } from './tag-input';

/** A field for tags, with the tags of other documents as suggestions. */
export function TagsField(props: FieldProps<string[]>): React.JSX.Element {
  const { context, pointer } = getField(props);
  const choices = useChoices(context, pointer, props.schema);
  return <TagInput {...props} choices={choices} />;
}
