import type { BaseInputTemplateProps, EnumOptionsType, WidgetProps } from '@rjsf/utils';
import React from 'react';
import { titleOf } from '../model/instance-schema';
import type { IFormContext } from './context';
import { describedBy, faultsAt, hasValue, pointerOf } from './context';

/** The attributes of every control: its description, and whether it is invalid or required. */
function controlProps(props: WidgetProps | BaseInputTemplateProps): Record<string, unknown> {
  const { id, required, readonly } = props;
  const context = props.formContext as IFormContext;
  return {
    id,
    'aria-describedby': describedBy(id),
    'aria-invalid': faultsAt(context, pointerOf(id, context)).length > 0,
    'aria-required': required === true,
    ...(readonly ? { readOnly: true } : {})
  };
}

const TYPES: Record<string, string> = { email: 'email', uri: 'url', date: 'date', time: 'time' };

function isNumber(type: unknown): boolean {
  return [type].flat().some(one => one === 'number' || one === 'integer');
}

/** A line of text or a number. */
export function BaseInputTemplate(props: BaseInputTemplateProps): React.JSX.Element {
  const { schema, options, placeholder, onChange, onBlur, onFocus, id } = props;
  const given = props.value as string | number | undefined;
  return (
    <input
      {...controlProps(props)}
      type={TYPES[schema.format ?? ''] ?? 'text'}
      inputMode={isNumber(schema.type) ? 'decimal' : undefined}
      spellCheck={false}
      autoComplete="off"
      placeholder={placeholder}
      value={given ?? ''}
      onChange={event => onChange(event.target.value === '' ? options.emptyValue : event.target.value)}
      onBlur={() => onBlur(id, given)}
      onFocus={() => onFocus(id, given)}
    />
  );
}

/** A text of several lines. */
export function TextareaWidget(props: WidgetProps): React.JSX.Element {
  const { options, placeholder, onChange, onBlur, id } = props;
  const given = typeof props.value === 'string' ? props.value : '';
  return (
    <textarea
      {...controlProps(props)}
      rows={Math.min(12, Math.max(3, given.split('\n').length))}
      placeholder={placeholder}
      value={given}
      onChange={event => onChange(event.target.value === '' ? options.emptyValue : event.target.value)}
      onBlur={() => onBlur(id, given)}
    />
  );
}

function optionsOf(props: WidgetProps): EnumOptionsType[] {
  return props.options.enumOptions ?? [];
}

/** One of a closed list. */
export function SelectWidget(props: WidgetProps): React.JSX.Element {
  if (BETWEEN_BRANCHES.test(props.id)) {
    return <BranchSelect {...props} />;
  }
  if (props.multiple === true) {
    return <CheckboxesWidget {...props} />;
  }
  const { required, options, placeholder, onChange, onBlur, id } = props;
  const value: unknown = props.value;
  const offered = optionsOf(props);
  const chosen = offered.findIndex(option => option.value === value);
  return (
    <select
      {...controlProps(props)}
      value={chosen < 0 ? '' : String(chosen)}
      onChange={event =>
        onChange(event.target.value === '' ? options.emptyValue : offered[Number(event.target.value)]?.value)
      }
      onBlur={() => onBlur(id, value)}
    >
      {(chosen < 0 || !required) && <option value="">{placeholder}</option>}
      <Options offered={offered} />
    </select>
  );
}

function Options({ offered }: { offered: readonly EnumOptionsType[] }): React.JSX.Element {
  return (
    <>
      {offered.map((option, index) => (
        <option key={index} value={index}>
          {option.label}
        </option>
      ))}
    </>
  );
}

/** rjsf's ids of the choice between the branches of `oneOf` and `anyOf`, which has no label of its own. */
const BETWEEN_BRANCHES = /__(one|any)of_select$/;

/**
 * The choice between branches.
 *
 * Where nothing is there yet, rjsf takes the first one for chosen; of branches that are objects, here none is.
 */
function BranchSelect(props: WidgetProps): React.JSX.Element {
  const { label, onChange, id } = props;
  const context = props.formContext as IFormContext;
  const pointer = pointerOf(id.replace(BETWEEN_BRANCHES, ''), context);
  const offered = optionsOf(props);
  const mayBeNothing = props.options['objects'] === true;
  const open = mayBeNothing && !hasValue(context, pointer);
  const chosen = open ? -1 : offered.findIndex(option => option.value === props.value);
  const choose = (text: string): void => {
    const branch: unknown = offered[Number(text)]?.value;
    if (text === '') {
      context.put(pointer, undefined);
    } else if (branch !== props.value) {
      onChange(branch);
    }
    if (text !== '' && open) {
      // After the form has turned to the branch: what is constant in it comes by itself.
      window.setTimeout(() => context.fill(pointer, {}));
    }
  };
  return (
    <select
      {...controlProps(props)}
      aria-label={context.trans.__('Kind of %1', titleOf({}, label))}
      value={chosen < 0 ? '' : String(chosen)}
      onChange={event => choose(event.target.value)}
      onBlur={() => context.touch(pointer)}
    >
      {mayBeNothing && <option value="">{context.trans.__('Nothing')}</option>}
      <Options offered={offered} />
    </select>
  );
}

/** Yes or no. */
export function CheckboxWidget(props: WidgetProps): React.JSX.Element {
  const { label, schema, onChange, onBlur, id } = props;
  const value: unknown = props.value;
  return (
    <label className="jp-Colophon-check">
      <input
        {...controlProps(props)}
        type="checkbox"
        checked={value === true}
        onChange={event => onChange(event.target.checked)}
        onBlur={() => onBlur(id, value)}
      />
      {titleOf(schema, label)}
    </label>
  );
}

/** Several of a closed list. */
export function CheckboxesWidget(props: WidgetProps): React.JSX.Element {
  const { label, schema, onChange, onBlur, id } = props;
  const value: unknown = props.value;
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  return (
    <div role="group" id={id} aria-label={titleOf(schema, label)} aria-describedby={describedBy(id)}>
      {optionsOf(props).map((option, index) => (
        <label className="jp-Colophon-check" key={index}>
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={event => {
              const rest = chosen.filter(one => one !== option.value);
              onChange(event.target.checked ? [...rest, option.value] : rest);
            }}
            onBlur={() => onBlur(id, value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
