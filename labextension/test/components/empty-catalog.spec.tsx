import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { ActivityModel } from '../../src/panels/activity';
import { ActivityBody } from '../../src/panels/activity/body';
import { SearchModel } from '../../src/panels/search';
import { FakeServer } from '../support/server';
import { waitUntil } from '../support/wait-until';

function createCatalog(me: object): Catalog {
  return new Catalog(
    new FakeServer().on('GET', 'changes', { body: { changes: [], cursor: 0 } }).on('GET', 'me', { body: me }).settings
  );
}

async function renderActivity(me: object): Promise<string> {
  const model = new ActivityModel(createCatalog(me), null);
  const trans = nullTranslator.load('');
  const widget = ReactWidget.create(
    <ActivityBody model={model} followed={null} openEntity={() => undefined} trans={trans} />
  );
  Widget.attach(widget, document.body);
  await model.refresh();
  await waitUntil(() => widget.node.querySelector('.jp-Colophon-note') !== null);
  const text = widget.node.querySelector('.jp-Colophon-note')?.textContent ?? '';
  widget.dispose();
  return text;
}

test('a user who may read nothing is told so, and whom to ask', async () => {
  expect(await renderActivity({ readable: 'nothing', stewards: ['ivy', 'urn:li:corpGroup:data%20team'] })).toBe(
    'You have no permission to read anything in this catalog. To get access, ask: ivy, data team'
  );
  expect(await renderActivity({ readable: 'nothing', stewards: [] })).toMatch(/Ask an administrator of the server\.$/);
  expect(await renderActivity({ readable: 'part', stewards: [] })).toMatch(/^No changes yet/);
  expect(await renderActivity({})).toMatch(/^No changes yet/);
});

test('the search panel asks for permissions only if it has nothing to show', async () => {
  const model = new SearchModel(createCatalog({ readable: 'nothing', stewards: ['ivy'] }), null);
  await model.refresh();
  expect(model.state.permission).toEqual({ readable: 'nothing', stewards: ['ivy'] });
  expect(model.state.problem).toBeNull();
});
