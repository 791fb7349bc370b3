import type { FieldProps } from '@rjsf/utils';
import { JSONExt } from '@lumino/coreutils';
import React from 'react';
import { titleOf } from '../../model/instance-schema';
import type { IPair } from '../../model/pairs';
import { objectOf, pairFaults, pairsOf } from '../../model/pairs';
import { stepInto } from '../../model/pointer';
import type { IFormContext } from '../context';
import { faultsAt, pointerOf } from '../context';
import { FaultNote } from '../fault-note';

interface IRowProps {
  pair: IPair;
  id: string;
  pointer: string;
  context: IFormContext;
  set: (change: Partial<IPair>) => void;
  remove: () => void;
}

function Row({ pair, id, pointer, context, set, remove }: IRowProps): React.JSX.Element {
  const { trans } = context;
  const place = stepInto(pointer, pair.key);
  const messages = faultsAt(context, place).map(fault => fault.message);
  const described = { 'aria-describedby': `${id}__error`, 'aria-invalid': messages.length > 0 };
  const leave = (): void => {
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
        onChange={event => set({ key: event.target.value })}
        onBlur={leave}
      />
      <textarea
        {...described}
        id={`${id}__value`}
        className="jp-Colophon-pairValue"
        aria-label={pair.key === '' ? trans.__('Value') : trans.__('Value of %1', pair.key)}
        placeholder={trans.__('value')}
        rows={Math.min(6, pair.value.split('\n').length)}
        value={pair.value}
        onChange={event => set({ value: event.target.value })}
        onBlur={leave}
      />
      <button
        type="button"
        className="jp-Colophon-remove"
        aria-label={pair.key === '' ? trans.__('Remove this row') : trans.__('Remove %1', pair.key)}
        title={trans.__('Remove')}
        onClick={remove}
      >
        ×
      </button>
      <FaultNote id={`${id}__error`} messages={messages} />
    </li>
  );
}

/** An object of texts, such as properties: a row for every key and its value. */
export function PairList(props: FieldProps<Record<string, string>>): React.JSX.Element {
  const context = props.formContext as IFormContext;
  const { trans } = context;
  const id = props.idSchema.$id;
  const pointer = pointerOf(id, context);
  const given = props.formData ?? {};
  const next = React.useRef(0);
  const [pairs, setPairs] = React.useState<readonly IPair[]>(() => pairsOf(given, 0));
  const [seen, setSeen] = React.useState(given);
  next.current = Math.max(next.current, pairs.length, ...pairs.map(pair => pair.id + 1));

  // Another value came from outside, such as somebody else's version: what was typed is gone.
  if (!JSONExt.deepEqual(seen, given)) {
    setSeen(given);
    if (!JSONExt.deepEqual(objectOf(pairs), given)) {
      setPairs(pairsOf(given, next.current));
    }
  }
  const change = (all: readonly IPair[]): void => {
    setPairs(all);
    props.onChange(objectOf(all));
    const words = { unnamed: trans.__('A value needs a key.'), twice: trans.__('Duplicate key.') };
    const faults = pairFaults(pointer, all, words);
    // After the form has taken the new value in: it would else be set back to the old one.
    window.setTimeout(() => context.block(pointer, faults));
  };
  const title = titleOf(props.schema, props.name);
  const messages = faultsAt(context, pointer).map(fault => fault.message);
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
            set={part => change(pairs.map(other => (other.id === pair.id ? { ...other, ...part } : other)))}
            remove={() => change(pairs.filter(other => other.id !== pair.id))}
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
      <FaultNote id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}
