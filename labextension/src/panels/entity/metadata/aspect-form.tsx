import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { FormEditor } from '../../../model/editing/editor';

// The form contains a validator; it is loaded on demand.
const Form = React.lazy(() => import('./aspect-editor'));

/** Focuses the first input in its children when they appear. */
function Keyboard({ children }: { children: React.ReactNode }): React.JSX.Element {
  const around = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => around.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  return <div ref={around}>{children}</div>;
}

/** The form for an aspect on a page. */
export function AspectForm(props: {
  editor: FormEditor;
  cancel: () => void;
  /** Whether the form gets the focus. */
  takesKeyboard?: boolean;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { editor, cancel, takesKeyboard, trans } = props;
  const form = <Form editor={editor} cancel={cancel} trans={trans} />;
  return (
    <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
      {takesKeyboard === true ? <Keyboard>{form}</Keyboard> : form}
    </React.Suspense>
  );
}
