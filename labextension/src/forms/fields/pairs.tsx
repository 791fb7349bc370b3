import type { FieldProps } from '@rjsf/utils';
import { JSONExt } from '@lumino/coreutils';
import React from 'react';
import { getTitle } from '../../model/instances/instance-schema';
import type { IPair } from '../../model/editing/pairs';
import { toObject, findPairErrors, toPairs } from '../../model/editing/pairs';
import { appendStep } from '../../model/schemas/pointer';
import type { IFormContext } from '../context';
import { getErrors, getPointer } from '../context';
import { FieldErrors } from '../field-errors';

interface IRowProps {
  pair: IPair;
  id: string;
  pointer: string;
  context: IFormContext;
  update: (change: Partial<IPair>) => void;
  remove: () => void;
}

function Row({ pair, id, pointer, context, update, remove }: IRowProps): React.JSX.Element {
  const { trans } = context;
  const place = appendStep(pointer, pair.key);
  const messages = getErrors(context, place).map(fault => fault.message);
  const described = { 'aria-describedby': `${id}__error`, 'aria-invalid': messages.length > 0 };
  const onBlur = (): void => {
    if (pair.key !== '' || pair.value !== '') {
      context.touch(place);
    }
  };
  return (
    <li className="jp-Colophon-pair" data-invalid={messages.length > 0}>
      <input
        {...described}
        id={`${id}__key`}
        className="jp-Colophon-pairKey"
        aria-label={trans.__('Key')}
        placeholder={trans.__('key')}
        spellCheck={false}
        autoComplete="off"
        value={pair.key}
        onChange={event => update({ key: event.target.value })}
        onBlur={onBlur}
      />
      <textarea
        {...described}
        id={`${id}__value`}
        className="jp-Colophon-pairValue"
        aria-label={pair.key === '' ? trans.__('Value') : trans.__('Value of %1', pair.key)}
        placeholder={trans.__('value')}
        rows={Math.min(6, pair.value.split('\n').length)}
        value={pair.value}
        onChange={event => update({ value: event.target.value })}
        onBlur={onBlur}
      />
      <button
        type="button"
        className="jp-Colophon-remove"
        aria-label={pair.key === '' ? trans.__('Remove row') : trans.__('Remove %1', pair.key)}
        title={trans.__('Remove')}
        onClick={remove}
      >
        ×
      </button>
      <FieldErrors id={`${id}__error`} messages={messages} />
    </li>
  );
}

/** A field for an object of strings, such as properties: a row for each key with its value. */
export function PairList(props: FieldProps<Record<string, string>>): React.JSX.Element {
  const context = props.formContext as IFormContext;
  const { trans } = context;
  const id = props.idSchema.$id;
  const pointer = getPointer(id, context);
  const value = props.formData ?? {};
  const next = React.useRef(0);
  const [pairs, setPairs] = React.useState<readonly IPair[]>(() => toPairs(value, 0));
  const [knownValue, setKnownValue] = React.useState(value);
  next.current = Math.max(next.current, pairs.length, ...pairs.map(pair => pair.id + 1));

  // The value was changed elsewhere, for instance by another user: discard the edits.
  if (!JSONExt.deepEqual(knownValue, value)) {
    setKnownValue(value);
    if (!JSONExt.deepEqual(toObject(pairs), value)) {
      setPairs(toPairs(value, next.current));
    }
  }
  const setAll = (all: readonly IPair[]): void => {
    setPairs(all);
    props.onChange(toObject(all));
    const words = { unnamed: trans.__('A value must have a key.'), twice: trans.__('Duplicate key.') };
    const faults = findPairErrors(pointer, all, words);
    // After the form has taken over the new value; otherwise it would be reset to the old one.
    window.setTimeout(() => context.block(pointer, faults));
  };
  const title = getTitle(props.schema, props.name);
  const messages = getErrors(context, pointer).map(fault => fault.message);
  return (
    <fieldset className="jp-Colophon-field" id={id} aria-describedby={`${id}__description ${id}__error`}>
      <legend>{title}</legend>
      <ul className="jp-Colophon-pairs">
        {pairs.map(pair => (
          <Row
            key={pair.id}
            pair={pair}
            id={`${id}/${pair.id}`}
            pointer={pointer}
            context={context}
            update={part => setAll(pairs.map(other => (other.id === pair.id ? { ...other, ...part } : other)))}
            remove={() => setAll(pairs.filter(other => other.id !== pair.id))}
          />
        ))}
      </ul>
      <button
        type="button"
        className="jp-Colophon-button"
        onClick={() => setPairs([...pairs, { id: next.current, key: '', value: '' }])}
      >
        {trans.__('Add a property')}
      </button>
      <div className="jp-Colophon-help" id={`${id}__description`}>
        {props.schema.description}
      </div>
      <FieldErrors id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}
