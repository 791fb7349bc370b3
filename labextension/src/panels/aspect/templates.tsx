import type { FieldTemplateProps, ObjectFieldTemplateProps } from '@rjsf/utils';
import React from 'react';
import type { IFormContext } from './context';
import { faultsAt, pointerOf } from './context';

/** The faults of one field, read out at once. */
export function FaultNote(props: { id: string; messages: readonly string[] }): React.JSX.Element | null {
  if (props.messages.length === 0) {
    return null;
  }
  return (
    <div className="jp-Colophon-fault" id={props.id} role="alert">
      {props.messages.join(' ')}
    </div>
  );
}

/** A field with a label that belongs to it, help and faults (JupyterLab's own template has neither label nor links). */
export function FieldTemplate(props: FieldTemplateProps): React.JSX.Element {
  const { id, label, required, children, rawDescription, schema, hidden, uiSchema, displayLabel } = props;
  const context = props.formContext as IFormContext;
  if (hidden) {
    return <div hidden>{children}</div>;
  }
  // Our own fields name themselves, and an object is named by its fields.
  if (uiSchema?.['ui:field'] !== undefined || schema.type === 'object') {
    return <>{children}</>;
  }
  const messages = faultsAt(context, pointerOf(id, context)).map(fault => fault.message);
  return (
    <div className="jp-Colophon-field" data-invalid={messages.length > 0}>
      {displayLabel !== false && (
        <label htmlFor={id}>
          {label}
          {required && <span aria-hidden="true"> *</span>}
        </label>
      )}
      {children}
      {rawDescription !== undefined && rawDescription !== '' && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {rawDescription}
        </div>
      )}
      <FaultNote id={`${id}__error`} messages={messages} />
    </div>
  );
}

/** The fields of an object one below the other. */
export function ObjectFieldTemplate(props: ObjectFieldTemplateProps): React.JSX.Element {
  return (
    <div className="jp-Colophon-fields">
      {props.properties.map(property => (
        <React.Fragment key={property.name}>{property.content}</React.Fragment>
      ))}
    </div>
  );
}
