import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import type { Run } from '../../src/generated/api';
import { WelcomeModel } from '../../src/model/welcome';
import { Welcome } from '../../src/panels/welcome';
import { FakeFeed } from '../support/feed';
import { FakeServer, entityOf, runOf, table } from '../support/server';
import { waitUntil } from '../support/wait-until';

const trans = nullTranslator.load('');

function write(name: string, actor: string): Run {
  const time = '2026-11-20T12:00:00.000Z';
  const accesses = [
    { data: table(name), mode: 'write' as const, component: '', first: time, last: time, statements: [] }
  ];
  return { ...runOf(name), actor, accesses };
}

test('the welcome tags, finds and traces the first table of the user, and goes away', async () => {
  let runs: Run[] = [write('theirs', 'bob')];
  let tags: string[] = [];
  const server = new FakeServer()
    .on('GET', 'me', { body: { user: { username: 'ada' } } })
    .on('GET', 'runs', () => ({ body: { runs, cursor: null } }))
    .on('GET', `entities/${table('orders')}/metadata`, () => ({
      body: { urn: table('orders'), USER: { properties: {}, tags }, SYSTEM: { properties: {}, tags: [] } }
    }))
    .on('GET', `entities/${table('orders')}`, () => ({
      body: entityOf('orders', { properties: { owner: 'ops' }, tags }, 4)
    }))
    .on('PUT', `entities/${table('orders')}/aspects/businessMetadata`, ({ body, headers }) => {
      expect(headers.get('If-Match')).toBe('"4"');
      ({ tags } = body as { tags: string[] });
      return { body: {} };
    });
  const done: string[] = [];
  const model = new WelcomeModel(new Catalog(server.settings), new FakeFeed().feed);
  const widget = ReactWidget.create(
    <Welcome
      model={model}
      search={query => done.push(query)}
      openLineage={urn => done.push(urn)}
      finish={() => done.push('finished')}
      trans={trans}
    />
  );
  Widget.attach(widget, document.body);
  const button = (name: string): HTMLButtonElement | undefined =>
    [...document.querySelectorAll('button')].find(item => item.textContent === name);
  await waitUntil(() => document.body.textContent?.includes('Write a file or a table') === true);

  runs = [write('later', 'ada'), write('orders', 'ada'), ...runs];
  await model.refresh();
  await waitUntil(() => document.body.textContent?.includes('Tag flights.orders') === true);
  expect(button('Search')?.disabled).toBe(true);
  await model.addTag(' raw ');
  expect(tags).toEqual(['raw']);
  await waitUntil(() => button('Search tags:raw') !== undefined);
  button('Search tags:raw')?.click();
  button('Open lineage')?.click();
  await waitUntil(() => button('All steps are done: close the welcome') !== undefined);
  button('All steps are done: close the welcome')?.click();
  expect(done).toEqual(['tags:raw', table('orders'), 'finished']);
  widget.dispose();
  model.dispose();
});
