import React from 'react';

/** The errors of a field, announced by screen readers. */
export function FieldErrors(props: { id: string; messages: readonly string[] }): React.JSX.Element | null {
  if (props.messages.length === 0) {
    return null;
  }
  return (
    <div className="jp-Colophon-error" id={props.id} role="alert">
      {props.messages.join(' ')}
    </div>
  );
}
