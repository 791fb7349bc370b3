import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { titleOf } from '../../model/instance-schema';
import type { IFormContext } from '../context';
import { faultsAt, pointerOf } from '../context';
import { FaultNote } from '../fault-note';

const ROWS_LEAST = 3;
const ROWS_MOST = 16;

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** What a text is as JSON: nothing for an empty one, else a value or the reason why it is not valid. */
function parse(text: string): { value: unknown } | { reason: string } {
  if (text.trim() === '') {
    return { value: undefined };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined
    ? one === other
    : JSONExt.deepEqual(one as ReadonlyJSONValue, other as ReadonlyJSONValue);
}

interface IJsonProps {
  /** Id of the field: the prefix of the form and a JSON Pointer. */
  id: string;
  title: string;
  required: boolean;
  description: string | undefined;
  value: unknown;
  context: IFormContext;
  change: (value: unknown) => void;
}

/** A value as JSON text, for what a form cannot draw: written into the draft whenever the text is valid. */
export function JsonEditor(props: IJsonProps): React.JSX.Element {
  const { id, title, required, description, value, context, change } = props;
  const { trans, block } = context;
  const pointer = pointerOf(id, context);
  const [text, setText] = React.useState(() => textOf(value));
  const [seen, setSeen] = React.useState(value);
  // Another value came from outside, such as somebody else's version.
  if (!isSame(seen, value)) {
    setSeen(value);
    const parsed = parse(text);
    if ('reason' in parsed || !isSame(parsed.value, value)) {
      setText(textOf(value));
    }
  }
  const latest = React.useRef(block);
  latest.current = block;
  // With the field goes what blocks saving.
  React.useEffect(() => () => latest.current(pointer, []), [pointer]);
  const type = (next: string): void => {
    setText(next);
    const parsed = parse(next);
    if ('value' in parsed) {
      change(parsed.value);
    }
    const faults = 'reason' in parsed ? [{ pointer, message: trans.__('Not valid JSON: %1', parsed.reason) }] : [];
    // After the form has taken the new value in: it would else be set back to the old one.
    window.setTimeout(() => latest.current(pointer, faults));
  };
  const faults = faultsAt(context, pointer, true);
  const messages = faults.map(fault =>
    fault.pointer === pointer ? fault.message : `${fault.pointer.slice(pointer.length + 1)}: ${fault.message}`
  );
  return (
    <div className="jp-Colophon-field" data-invalid={faults.length > 0}>
      <label htmlFor={id}>
        {title}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      <textarea
        id={id}
        className="jp-Colophon-json"
        aria-describedby={`${id}__error ${id}__description`}
        aria-invalid={faults.length > 0}
        rows={Math.min(ROWS_MOST, Math.max(ROWS_LEAST, text.split('\n').length))}
        spellCheck={false}
        value={text}
        onChange={event => type(event.target.value)}
        onBlur={() => context.touch(pointer)}
      />
      <div className="jp-Colophon-help" id={`${id}__description`}>
        {description !== undefined && description !== '' && `${description} `}
        {trans.__('(JSON)')}
      </div>
      <FaultNote id={`${id}__error`} messages={[...new Set(messages)]} />
    </div>
  );
}

/** A field of a form that is edited as JSON. */
export function JsonField(props: FieldProps): React.JSX.Element {
  return (
    <JsonEditor
      id={props.idSchema.$id}
      title={titleOf(props.schema, props.name)}
      required={props.required === true}
      description={props.schema.description}
      value={props.formData as unknown}
      context={props.formContext as IFormContext}
      change={value => void props.onChange(value)}
    />
  );
}
