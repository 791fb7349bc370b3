import React from 'react';

/** A name of a machine's: where there is no room for all of it, it goes on in the next line behind `_`, `.` or `/`. */
export function Name({ text }: { text: string }): React.JSX.Element {
  return (
    <>
      {text.split(/(?<=[_./])/).map((part, at) => (
        <React.Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </React.Fragment>
      ))}
    </>
  );
}
