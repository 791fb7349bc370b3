import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

const LETTERS_MOST = 320;
const LINES_MOST = 6;

/** A text as it is; a long one shows its beginning until somebody wants the rest. */
export function LongText(props: { text: string; trans: TranslationBundle }): React.JSX.Element {
  const { text, trans } = props;
  const [open, setOpen] = React.useState(false);
  if (text.length <= LETTERS_MOST && text.split('\n').length <= LINES_MOST) {
    return <>{text}</>;
  }
  return (
    <>
      <div className={open ? undefined : 'jp-Colophon-beginning'}>{text}</div>
      <button type="button" className="jp-Colophon-link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? trans.__('Show less') : trans.__('Show all')}
      </button>
    </>
  );
}
