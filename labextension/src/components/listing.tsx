import React from 'react';

/** Lines as they are; where there are many, they are scrolled, by the keyboard too. */
export function Listing(props: { label: string; text: string }): React.JSX.Element {
  return (
    <pre className="jp-Colophon-source" role="group" aria-label={props.label} tabIndex={0}>
      {props.text}
    </pre>
  );
}
