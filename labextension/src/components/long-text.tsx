import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

const MAX_CHARACTERS = 320;
const MAX_LINES = 6;

/** A text that is shortened if it is long, with a button to show all of it. */
export function LongText(props: { text: string; trans: TranslationBundle }): React.JSX.Element {
  const { text, trans } = props;
  const [open, setOpen] = React.useState(false);
  if (text.length <= MAX_CHARACTERS && text.split('\n').length <= MAX_LINES) {
    return <>{text}</>;
  }
  return (
    <>
      <div className={open ? undefined : 'jp-Colophon-excerpt'}>{text}</div>
      <button type="button" className="jp-Colophon-link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? trans.__('Show less') : trans.__('Show all')}
      </button>
    </>
  );
}
