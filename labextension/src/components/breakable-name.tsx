import React from 'react';

/** A technical name that can be wrapped after `_`, `.` or `/`. */
export function BreakableName({ text }: { text: string }): React.JSX.Element {
  return (
    <>
      {text.split(/(?<=[_./])/).map((part, index) => (
        <React.Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </React.Fragment>
      ))}
    </>
  );
}
