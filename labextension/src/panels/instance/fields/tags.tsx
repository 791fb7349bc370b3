import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { WordList } from '../../aspect/word-list';
import { useChoices } from '../context';
import { fieldOf } from './frame';

/** Words such as tags, with what other instances have for suggestions. */
export function TagsField(props: FieldProps<string[]>): React.JSX.Element {
  const { context, pointer } = fieldOf(props);
  return <WordList {...props} choices={useChoices(context, pointer, props.schema)} />;
}
