import React from 'react';

/** A button that asks once more before it acts, and forgets that when it loses the focus. */
export function ConfirmButton(props: {
  label: string;
  /** The label for screen readers, where the visible one does not name what the button acts on. */
  accessibleLabel?: string;
  question: string;
  run(): void;
}): React.JSX.Element {
  const { label, accessibleLabel, question, run } = props;
  const [isAsking, setIsAsking] = React.useState(false);
  return (
    <button
      type="button"
      className="jp-Colophon-button"
      aria-label={isAsking ? undefined : accessibleLabel}
      aria-live="polite"
      onBlur={() => setIsAsking(false)}
      onClick={event => {
        // The second click of a double click answers no question.
        if (event.detail > 1) {
          return;
        }
        setIsAsking(!isAsking);
        if (isAsking) {
          run();
        }
      }}
    >
      {isAsking ? question : label}
    </button>
  );
}
