import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

/** The input of the new name of a column. */
export function ColumnNameInput(props: {
  name: string;
  onChange: (name: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { name, onChange, trans } = props;
  const [text, setText] = React.useState(name);
  return (
    <label className="jp-Colophon-choice">
      {trans.__('New name')}
      <input
        type="text"
        className="jp-mod-styled"
        value={text}
        onChange={event => {
          setText(event.target.value);
          onChange(event.target.value);
        }}
      />
    </label>
  );
}
