import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { getTitle } from '../../model/instances/instance-schema';
import type { IFormContext } from '../context';
import { getErrors, getPointer } from '../context';
import { FieldErrors } from '../field-errors';

/** The properties that all our fields use. */
interface IField {
  context: IFormContext;
  id: string;
  pointer: string;
  title: string;
  invalid: boolean;
}

/** Returns the location of a field, its title, and whether there are errors at or below it. */
export function getField<T>(props: FieldProps<T>): IField {
  const context = props.formContext as IFormContext;
  const id = props.idSchema.$id;
  const pointer = getPointer(id, context);
  const titled: unknown = props.uiSchema?.['ui:title'] ?? props.schema.title;
  const title = getTitle({ title: titled }, props.name);
  return { context, id, pointer, title, invalid: getErrors(context, pointer, true).length > 0 };
}

interface IFrameProps {
  field: IField;
  required: boolean | undefined;
  description: string | undefined;
  /** The label, if it does not belong to a control with the id of the field. */
  label?: React.JSX.Element;
  children: React.ReactNode;
}

/** A field with its label above, and its help and errors below. */
export function FieldFrame({ field, required, description, label, children }: IFrameProps): React.JSX.Element {
  const { context, id, pointer, title, invalid } = field;
  const messages = getErrors(context, pointer, true).map(fault => fault.message);
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
      <FieldErrors id={`${id}__error`} messages={[...new Set(messages)]} />
    </div>
  );
}
