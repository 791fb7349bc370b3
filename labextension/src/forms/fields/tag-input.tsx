import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { getTitle } from '../../model/instances/instance-schema';
import { appendStep } from '../../model/schemas/pointer';
import type { IFormContext } from '../context';
import { getErrors, getPointer } from '../context';
import { FieldErrors } from '../field-errors';

interface ITagsProps {
  tags: readonly string[];
  isInvalid: (index: number) => boolean;
  remove: (index: number) => void;
  context: IFormContext;
}

function Chips({ tags, isInvalid, remove, context }: ITagsProps): React.JSX.Element {
  return (
    <>
      {tags.map((tag, index) => (
        <span className="jp-Colophon-tag" key={`${index} ${tag}`} data-invalid={isInvalid(index)}>
          {tag}
          <button
            type="button"
            className="jp-Colophon-remove"
            aria-label={context.trans.__('Remove %1', tag)}
            onClick={() => remove(index)}
          >
            ×
          </button>
        </span>
      ))}
    </>
  );
}

/** Adds a missing full stop to a description. */
function endSentence(description = ''): string {
  return description === '' || /[.!?…]$/.test(description) ? description : `${description}.`;
}

/** A field for a list of tags: Enter or a comma adds a tag, Backspace removes the last one. */
export function TagInput(props: FieldProps<string[]> & { choices: readonly string[] }): React.JSX.Element {
  const context = props.formContext as IFormContext;
  const { trans } = context;
  const id = props.idSchema.$id;
  const pointer = getPointer(id, context);
  const tags: readonly string[] = props.formData ?? [];
  const [text, setText] = React.useState('');
  const faults = getErrors(context, pointer, true);
  const isInvalid = (index: number): boolean => faults.some(fault => fault.pointer === appendStep(pointer, index));
  const addTag = (): void => {
    const word = text.trim();
    if (word !== '' && !tags.includes(word)) {
      props.onChange([...tags, word]);
    }
    setText('');
    // After the form has taken over the new value; otherwise it would be reset to the old one.
    window.setTimeout(() => context.touch(pointer));
  };
  const removeTag = (index: number): void => {
    props.onChange(tags.filter((_, other) => other !== index));
  };
  const title = getTitle(props.schema, props.name);
  const messages = faults.map((fault): string => {
    const index = Number(fault.pointer.slice(pointer.length + 1));
    const word: string | undefined = fault.pointer === pointer ? undefined : tags[index];
    return word === undefined ? fault.message : trans.__('"%1": %2', word, fault.message);
  });
  return (
    <div className="jp-Colophon-field" data-invalid={faults.length > 0}>
      <label htmlFor={id}>{title}</label>
      <div className="jp-Colophon-tag-input" role="group" aria-label={title}>
        <Chips tags={tags} isInvalid={isInvalid} remove={removeTag} context={context} />
        <input
          id={id}
          value={text}
          placeholder={trans.__('Add…')}
          aria-describedby={`${id}__description ${id}__error`}
          aria-invalid={faults.length > 0}
          list={props.choices.length > 0 ? `${id}__choices` : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setText(event.target.value)}
          onBlur={addTag}
          onKeyDown={event => {
            if (event.key === 'Enter' || event.key === ',') {
              event.preventDefault();
              addTag();
            } else if (event.key === 'Backspace' && text === '' && tags.length > 0) {
              removeTag(tags.length - 1);
            }
          }}
        />
        {props.choices.length > 0 && (
          <datalist id={`${id}__choices`}>
            {props.choices
              .filter(choice => !tags.includes(choice))
              .map(choice => (
                <option key={choice} value={choice} />
              ))}
          </datalist>
        )}
      </div>
      <div className="jp-Colophon-help" id={`${id}__description`}>
        {endSentence(props.schema.description)} {trans.__('Press Enter to add.')}
      </div>
      <FieldErrors id={`${id}__error`} messages={messages} />
    </div>
  );
}
