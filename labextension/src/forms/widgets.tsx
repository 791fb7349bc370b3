import type { BaseInputTemplateProps, EnumOptionsType, WidgetProps } from '@rjsf/utils';
import React from 'react';
import { getTitle } from '../model/instances/instance-schema';
import type { IFormContext } from './context';
import { getDescriptionIds, getErrors, hasValue, getPointer } from './context';

/** Returns the attributes of a control: its description, and whether it is invalid or required. */
function getControlProps(props: WidgetProps | BaseInputTemplateProps): Record<string, unknown> {
  const { id, required, readonly } = props;
  const context = props.formContext as IFormContext;
  return {
    id,
    'aria-describedby': getDescriptionIds(id),
    'aria-invalid': getErrors(context, getPointer(id, context)).length > 0,
    'aria-required': required === true,
    ...(readonly ? { readOnly: true } : {})
  };
}

const INPUT_TYPES: Record<string, string> = { email: 'email', uri: 'url', date: 'date', time: 'time' };

function isNumber(type: unknown): boolean {
  return [type].flat().some(candidate => candidate === 'number' || candidate === 'integer');
}

/** A control for a line of text or a number. */
export function BaseInputTemplate(props: BaseInputTemplateProps): React.JSX.Element {
  const { schema, options, placeholder, onChange, onBlur, onFocus, id } = props;
  const value = props.value as string | number | undefined;
  return (
    <input
      {...getControlProps(props)}
      type={INPUT_TYPES[schema.format ?? ''] ?? 'text'}
      inputMode={isNumber(schema.type) ? 'decimal' : undefined}
      spellCheck={false}
      autoComplete="off"
      placeholder={placeholder}
      value={value ?? ''}
      onChange={event => onChange(event.target.value === '' ? options.emptyValue : event.target.value)}
      onBlur={() => onBlur(id, value)}
      onFocus={() => onFocus(id, value)}
    />
  );
}

/** A control for a text of several lines. */
export function TextareaWidget(props: WidgetProps): React.JSX.Element {
  const { options, placeholder, onChange, onBlur, id } = props;
  const value = typeof props.value === 'string' ? props.value : '';
  return (
    <textarea
      {...getControlProps(props)}
      rows={Math.min(12, Math.max(3, value.split('\n').length))}
      placeholder={placeholder}
      value={value}
      onChange={event => onChange(event.target.value === '' ? options.emptyValue : event.target.value)}
      onBlur={() => onBlur(id, value)}
    />
  );
}

function getOptions(props: WidgetProps): EnumOptionsType[] {
  return props.options.enumOptions ?? [];
}

/** A control for one value of a closed list. */
export function SelectWidget(props: WidgetProps): React.JSX.Element {
  if (BRANCH_SELECT_ID.test(props.id)) {
    return <BranchSelect {...props} />;
  }
  if (props.multiple === true) {
    return <CheckboxesWidget {...props} />;
  }
  const { required, options, placeholder, onChange, onBlur, id } = props;
  const value: unknown = props.value;
  const choices = getOptions(props);
  const selected = choices.findIndex(option => option.value === value);
  return (
    <select
      {...getControlProps(props)}
      value={selected < 0 ? '' : String(selected)}
      onChange={event =>
        onChange(event.target.value === '' ? options.emptyValue : choices[Number(event.target.value)]?.value)
      }
      onBlur={() => onBlur(id, value)}
    >
      {(selected < 0 || !required) && <option value="">{placeholder}</option>}
      <Options choices={choices} />
    </select>
  );
}

function Options({ choices: choices }: { choices: readonly EnumOptionsType[] }): React.JSX.Element {
  return (
    <>
      {choices.map((option, index) => (
        <option key={index} value={index}>
          {option.label}
        </option>
      ))}
    </>
  );
}

/** The ids of the selection between the branches of `oneOf` and `anyOf`, which has no label. */
const BRANCH_SELECT_ID = /__(one|any)of_select$/;

/**
 * A control for the selection of a branch.
 *
 * Without a value, rjsf selects the first branch; for branches that are objects, nothing is selected here.
 */
function BranchSelect(props: WidgetProps): React.JSX.Element {
  const { label, onChange, id } = props;
  const context = props.formContext as IFormContext;
  const pointer = getPointer(id.replace(BRANCH_SELECT_ID, ''), context);
  const choices = getOptions(props);
  const isOptional = props.options['objects'] === true;
  const isUnset = isOptional && !hasValue(context, pointer);
  const selected = isUnset ? -1 : choices.findIndex(option => option.value === props.value);
  const chooseBranch = (text: string): void => {
    const branch: unknown = choices[Number(text)]?.value;
    if (text === '') {
      context.setValue(pointer, undefined);
    } else if (branch !== props.value) {
      onChange(branch);
    }
    if (text !== '' && isUnset) {
      // After the form has switched to the branch, which sets its constants.
      window.setTimeout(() => context.setDefault(pointer, {}));
    }
  };
  return (
    <select
      {...getControlProps(props)}
      aria-label={context.trans.__('Type of %1', getTitle({}, label))}
      value={selected < 0 ? '' : String(selected)}
      onChange={event => chooseBranch(event.target.value)}
      onBlur={() => context.touch(pointer)}
    >
      {isOptional && <option value="">{context.trans.__('None')}</option>}
      <Options choices={choices} />
    </select>
  );
}

/** A control for a boolean. */
export function CheckboxWidget(props: WidgetProps): React.JSX.Element {
  const { label, schema, onChange, onBlur, id } = props;
  const value: unknown = props.value;
  return (
    <label className="jp-Colophon-check">
      <input
        {...getControlProps(props)}
        type="checkbox"
        checked={value === true}
        onChange={event => onChange(event.target.checked)}
        onBlur={() => onBlur(id, value)}
      />
      {getTitle(schema, label)}
    </label>
  );
}

/** A control for several values of a closed list. */
export function CheckboxesWidget(props: WidgetProps): React.JSX.Element {
  const { label, schema, onChange, onBlur, id } = props;
  const value: unknown = props.value;
  const selected: unknown[] = Array.isArray(value) ? value : [];
  return (
    <div role="group" id={id} aria-label={getTitle(schema, label)} aria-describedby={getDescriptionIds(id)}>
      {getOptions(props).map((option, index) => (
        <label className="jp-Colophon-check" key={index}>
          <input
            type="checkbox"
            checked={selected.includes(option.value)}
            onChange={event => {
              const others = selected.filter(candidate => candidate !== option.value);
              onChange(event.target.checked ? [...others, option.value] : others);
            }}
            onBlur={() => onBlur(id, value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
