import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { titleOf } from '../../model/instance-schema';
import type { IFormContext } from '../context';
import { faultsAt, pointerOf } from '../context';
import { FaultNote } from '../fault-note';

/** What every field of ours begins with. */
interface IField {
  context: IFormContext;
  id: string;
  pointer: string;
  title: string;
  invalid: boolean;
}

/** A field's place in the form, its name, and whether something is wrong with it or below it. */
export function fieldOf<T>(props: FieldProps<T>): IField {
  const context = props.formContext as IFormContext;
  const id = props.idSchema.$id;
  const pointer = pointerOf(id, context);
  const titled: unknown = props.uiSchema?.['ui:title'] ?? props.schema.title;
  const title = titleOf({ title: titled }, props.name);
  return { context, id, pointer, title, invalid: faultsAt(context, pointer, true).length > 0 };
}

interface IFrameProps {
  field: IField;
  required: boolean | undefined;
  description: string | undefined;
  /** Where the label is not that of a control with the field's id. */
  label?: React.JSX.Element;
  children: React.ReactNode;
}

/** A field with its label above, its help and its faults below. */
export function Frame({ field, required, description, label, children }: IFrameProps): React.JSX.Element {
  const { context, id, pointer, title, invalid } = field;
  const messages = faultsAt(context, pointer, true).map(fault => fault.message);
  return (
    <div className="jp-Colophon-field" data-invalid={invalid}>
      {label ?? (
        <label htmlFor={id}>
          {title}
          {required && <span aria-hidden="true"> *</span>}
        </label>
      )}
      {children}
      {description !== undefined && description !== '' && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {description}
        </div>
      )}
      <FaultNote id={`${id}__error`} messages={[...new Set(messages)]} />
    </div>
  );
}
