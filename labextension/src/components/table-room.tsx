import React from 'react';

/** A table that is as wide as its words want: where there is less room, it is scrolled, by the keyboard too. */
export function TableRoom(props: { label: string; children: React.ReactNode }): React.JSX.Element {
  return (
    <div className="jp-Colophon-room" role="group" aria-label={props.label} tabIndex={0}>
      <table className="jp-Colophon-table" aria-label={props.label}>
        {props.children}
      </table>
    </div>
  );
}
