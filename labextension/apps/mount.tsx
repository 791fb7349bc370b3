import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { createRoot } from 'react-dom/client';
import type { IPanelContext } from '../src/tokens';

/** Fills the element of a panel with a component and its styles, and returns what removes them. */
export function mount(
  context: IPanelContext,
  render: (trans: TranslationBundle) => React.JSX.Element,
  styles = ''
): () => void {
  const root = createRoot(context.element);
  root.render(
    <React.StrictMode>
      <style>{styles}</style>
      {render(context.translator.load('jupyter-colophon'))}
    </React.StrictMode>
  );
  return () => root.unmount();
}
