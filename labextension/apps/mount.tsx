import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { createRoot } from 'react-dom/client';
import type { IPanelContext } from '../src/tokens';

/** Fills the element of a panel with a component, and returns what removes it. */
export function mount(context: IPanelContext, render: (trans: TranslationBundle) => React.JSX.Element): () => void {
  const root = createRoot(context.element);
  root.render(<React.StrictMode>{render(context.translator.load('jupyter-colophon'))}</React.StrictMode>);
  return () => root.unmount();
}
