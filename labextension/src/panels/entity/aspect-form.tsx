import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { FormEditor } from '../../model/editor';

// The form brings a validator along; it is loaded when somebody edits.
const Form = React.lazy(() => import('./aspect-editor'));

/** Puts the keyboard into what it is around, as soon as that is there. */
function Keyboard({ children }: { children: React.ReactNode }): React.JSX.Element {
  const around = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => around.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  return <div ref={around}>{children}</div>;
}

/** The form for an aspect, in its place on the page. */
export function AspectForm(props: {
  editor: FormEditor;
  cancel: () => void;
  /** Whether the keyboard goes there with it. */
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
