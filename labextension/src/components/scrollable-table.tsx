import React from 'react';

/** A table in a scroll container, which can be scrolled with the keyboard. */
export function ScrollableTable(props: { label: string; children: React.ReactNode }): React.JSX.Element {
  return (
    <div className="jp-Colophon-scrollable" role="group" aria-label={props.label} tabIndex={0}>
      <table className="jp-Colophon-table" aria-label={props.label}>
        {props.children}
      </table>
    </div>
  );
}
