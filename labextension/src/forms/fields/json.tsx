import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { getTitle } from '../../model/instances/instance-schema';
import type { IFormContext } from '../context';
import { getErrors, getPointer } from '../context';
import { FieldErrors } from '../field-errors';

const MIN_ROWS = 3;
const MAX_ROWS = 16;

function formatJson(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** Parses a JSON text: undefined for an empty text, else a value or the reason why it is invalid. */
function parseJson(text: string): { value: unknown } | { reason: string } {
  if (text.trim() === '') {
    return { value: undefined };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function isEqual(left: unknown, right: unknown): boolean {
  return left === undefined || right === undefined
    ? left === right
    : JSONExt.deepEqual(left as ReadonlyJSONValue, right as ReadonlyJSONValue);
}

interface IJsonProps {
  /** The id of the field: the prefix of the form and a JSON Pointer. */
  id: string;
  title: string;
  required: boolean;
  description: string | undefined;
  value: unknown;
  context: IFormContext;
  onChange: (value: unknown) => void;
}

/**
 * An editor for a value as JSON, for values that a form cannot display. The draft is updated whenever the text is
 * valid.
 */
export function JsonEditor(props: IJsonProps): React.JSX.Element {
  const { id, title, required, description, value, context, onChange } = props;
  const { trans, block } = context;
  const pointer = getPointer(id, context);
  const [text, setText] = React.useState(() => formatJson(value));
  const [knownValue, setKnownValue] = React.useState(value);
  // The value was changed elsewhere, for instance by another user.
  if (!isEqual(knownValue, value)) {
    setKnownValue(value);
    const parsed = parseJson(text);
    if ('reason' in parsed || !isEqual(parsed.value, value)) {
      setText(formatJson(value));
    }
  }
  const latest = React.useRef(block);
  latest.current = block;
  // Without the field, its errors must not block saving.
  React.useEffect(() => () => latest.current(pointer, []), [pointer]);
  const onType = (next: string): void => {
    setText(next);
    const parsed = parseJson(next);
    if ('value' in parsed) {
      onChange(parsed.value);
    }
    const faults = 'reason' in parsed ? [{ pointer, message: trans.__('Invalid JSON: %1', parsed.reason) }] : [];
    // After the form has taken over the new value; otherwise it would be reset to the old one.
    window.setTimeout(() => latest.current(pointer, faults));
  };
  const faults = getErrors(context, pointer, true);
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
        rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split('\n').length))}
        spellCheck={false}
        value={text}
        onChange={event => onType(event.target.value)}
        onBlur={() => context.touch(pointer)}
      />
      <div className="jp-Colophon-help" id={`${id}__description`}>
        {description !== undefined && description !== '' && `${description} `}
        {trans.__('(JSON)')}
      </div>
      <FieldErrors id={`${id}__error`} messages={[...new Set(messages)]} />
    </div>
  );
}

/** A form field that is edited as JSON. */
export function JsonField(props: FieldProps): React.JSX.Element {
  return (
    <JsonEditor
      id={props.idSchema.$id}
      title={getTitle(props.schema, props.name)}
      required={props.required === true}
      description={props.schema.description}
      value={props.formData as unknown}
      context={props.formContext as IFormContext}
      onChange={value => void props.onChange(value)}
    />
  );
}
