import React from 'react';

/** The faults of one field; a screen reader announces them. */
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
