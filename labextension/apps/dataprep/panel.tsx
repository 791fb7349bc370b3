import React from 'react';
import type { IPanelContext } from '../../src/tokens';
import { mount } from '../mount';
import { HomePage } from './home';
import type { IPageProps } from './home';
import styles from './panel.css';
import { WorkspacePage } from './workspace';

/** Shows the first page, or a workspace. */
function Dataprep({ context, trans }: Omit<IPageProps, 'open'>): React.JSX.Element {
  const [id, setId] = React.useState('');
  return id === '' ? (
    <HomePage context={context} trans={trans} open={setId} />
  ) : (
    <WorkspacePage context={context} id={id} close={() => setId('')} trans={trans} />
  );
}

/** Fills the panel. */
export function activate(context: IPanelContext): () => void {
  return mount(context, trans => <Dataprep context={context} trans={trans} />, styles);
}
