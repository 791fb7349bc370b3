import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { titleOf } from '../../model/instance-schema';
import { stepInto } from '../../model/pointer';
import type { IFormContext } from '../context';
import { faultsAt, pointerOf } from '../context';
import { FaultNote } from '../fault-note';

interface ITagsProps {
  words: readonly string[];
  wrong: (index: number) => boolean;
  remove: (index: number) => void;
  context: IFormContext;
}

function Chips({ words, wrong, remove, context }: ITagsProps): React.JSX.Element {
  return (
    <>
      {words.map((word, index) => (
        <span className="jp-Colophon-tag" key={`${index} ${word}`} data-invalid={wrong(index)}>
          {word}
          <button
            type="button"
            className="jp-Colophon-remove"
            aria-label={context.trans.__('Remove %1', word)}
            onClick={() => remove(index)}
          >
            ×
          </button>
        </span>
      ))}
    </>
  );
}

/** A description with its full stop, for something follows it. */
function sentence(description = ''): string {
  return description === '' || /[.!?…]$/.test(description) ? description : `${description}.`;
}

/** A list of tags: Enter or a comma adds one, Backspace removes the last one. */
export function TagInput(props: FieldProps<string[]> & { choices: readonly string[] }): React.JSX.Element {
  const context = props.formContext as IFormContext;
  const { trans } = context;
  const id = props.idSchema.$id;
  const pointer = pointerOf(id, context);
  const words: readonly string[] = props.formData ?? [];
  const [text, setText] = React.useState('');
  const faults = faultsAt(context, pointer, true);
  const wrong = (index: number): boolean => faults.some(fault => fault.pointer === stepInto(pointer, index));
  const add = (): void => {
    const word = text.trim();
    if (word !== '' && !words.includes(word)) {
      props.onChange([...words, word]);
    }
    setText('');
    // After the form has taken the new value in: it would else be set back to the old one.
    window.setTimeout(() => context.touch(pointer));
  };
  const remove = (index: number): void => {
    props.onChange(words.filter((_, other) => other !== index));
  };
  const title = titleOf(props.schema, props.name);
  const messages = faults.map((fault): string => {
    const index = Number(fault.pointer.slice(pointer.length + 1));
    const word: string | undefined = fault.pointer === pointer ? undefined : words[index];
    return word === undefined ? fault.message : trans.__('"%1": %2', word, fault.message);
  });
  return (
    <div className="jp-Colophon-field" data-invalid={faults.length > 0}>
      <label htmlFor={id}>{title}</label>
      <div className="jp-Colophon-words" role="group" aria-label={title}>
        <Chips words={words} wrong={wrong} remove={remove} context={context} />
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
          onBlur={add}
          onKeyDown={event => {
            if (event.key === 'Enter' || event.key === ',') {
              event.preventDefault();
              add();
            } else if (event.key === 'Backspace' && text === '' && words.length > 0) {
              remove(words.length - 1);
            }
          }}
        />
        {props.choices.length > 0 && (
          <datalist id={`${id}__choices`}>
            {props.choices
              .filter(choice => !words.includes(choice))
              .map(choice => (
                <option key={choice} value={choice} />
              ))}
          </datalist>
        )}
      </div>
      <div className="jp-Colophon-help" id={`${id}__description`}>
        {sentence(props.schema.description)} {trans.__('Enter adds one.')}
      </div>
      <FaultNote id={`${id}__error`} messages={messages} />
    </div>
  );
}
