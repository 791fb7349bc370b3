import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { expect, test } from 'vitest';
import { HomePage } from '../../../apps/dataprep/home';
import type { IPanelContext } from '../../../src/tokens';
import { waitUntil } from '../../support/wait-until';

/** A server that has two workspaces and two connections, and deletes them. */
function createServer(): Pick<IPanelContext, 'call' | 'signal'> {
  let workspaces = ['w1', 'w2'].map(id => ({ id, name: id, source: {} }));
  let connections = ['c1', 'c2'].map(name => ({ name, type: 'file', folder: '/' }));
  return {
    signal: new AbortController().signal,
    call: (method, path) => {
      const last = path.split('/').at(-1) ?? '';
      if (method === 'DELETE') {
        workspaces = workspaces.filter(({ id }) => id !== last);
        connections = connections.filter(({ name }) => name !== last);
      }
      return Promise.resolve(last === 'workspaces' ? { workspaces } : { connections });
    }
  };
}

test('after a deletion the focus is on the heading of the list, or on the next one', async () => {
  const widget = ReactWidget.create(
    <HomePage context={createServer() as IPanelContext} trans={nullTranslator.load('')} open={() => undefined} />
  );
  Widget.attach(widget, document.body);
  const remove = async (name: string): Promise<string | null> => {
    const find = (): HTMLButtonElement | null => document.querySelector(`[aria-label="Delete the ${name}"]`);
    await waitUntil(() => find() !== null);
    const button = find()!;
    button.focus();
    button.click();
    await waitUntil(() => button.textContent === `Delete the ${name}?`);
    button.click();
    await waitUntil(() => !button.isConnected);
    await waitUntil(() => document.activeElement !== document.body);
    return document.activeElement!.textContent;
  };
  expect(await remove('workspace w1')).toBe('Workspaces');
  expect(await remove('workspace w2')).toBe('Connections');
  expect(await remove('connection c2')).toBe('Connections');
  widget.dispose();
});
