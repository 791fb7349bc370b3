import React from 'react';

/** A source text in a scroll container, which can be scrolled with the keyboard. */
export function SourceText(props: { label: string; text: string }): React.JSX.Element {
  return (
    <pre className="jp-Colophon-source" role="group" aria-label={props.label} tabIndex={0}>
      {props.text}
    </pre>
  );
}
