import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { AppPanelModel, AppPanelTab } from '../../../src/panels/app-panel';
import type { IMetadataService, IPanelContext, IPanelModule } from '../../../src/tokens';
import { clickButton } from '../../support/buttons';
import { fillField } from '../../support/fields';
import { FakeServer } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

/** The module of the example, which has no types. */
const EXAMPLE = '../../../../examples/shop-bookmarks/shop_bookmarks/web/panel.js';
const MODULE = 'colophon/v3/namespaces/system/apps/bookmarks/panels/list/0/panel.js';
const PANEL = {
  ...{ app: 'bookmarks', id: 'list', title: 'Bookmarks', icon: 'ui-components:table-rows', contexts: true },
  ...{ version: '0', module: MODULE }
};

let tab: AppPanelTab | null = null;
const imported: string[] = [];

afterEach(() => {
  tab?.dispose();
  tab = null;
  imported.length = 0;
});

function server(panel: object | null = PANEL): FakeServer {
  const entities = ['ops', 'default'].map(name => ({ name, type: 'namespace' }));
  return new FakeServer()
    .on('GET', 'system-apps/panels', { body: { panels: panel === null ? [] : [panel] } })
    .on('GET', 'entities', { body: { entities, cursor: null } });
}

function open(backend: FakeServer, load: () => Partial<IPanelModule>): AppPanelTab {
  const catalog = new Catalog(backend.settings);
  const metadata = { call: catalog.call.bind(catalog) } as unknown as IMetadataService;
  const services = {
    ...{ metadata, settings: backend.settings, translator: nullTranslator },
    importModule: (url: string) => {
      imported.push(url);
      return Promise.resolve().then(load);
    }
  };
  const model = new AppPanelModel(services, { app: 'bookmarks', id: 'list' });
  tab = new AppPanelTab(model, nullTranslator.load(''));
  Widget.attach(tab, document.body);
  return tab;
}

function hasText(text: string): boolean {
  return document.body.textContent?.includes(text) === true;
}

test('the module of the example calls handlers in the chosen namespace', async () => {
  const backend = server();
  const calls: string[] = [];
  const saved: Record<string, { name: string; url: string }[]> = { default: [], ops: [] };
  const root = 'http://lab.test/hub/colophon/v3/namespaces/system/apps/bookmarks/services/service/methods';
  const settings = {
    ...backend.settings,
    fetch: async (input: RequestInfo, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init);
      const path = request.url.slice(root.length).replace(/\?\d+$/, '');
      if (!request.url.startsWith(root)) {
        return backend.settings.fetch(input, init);
      }
      calls.push(`${request.method} ${path}`);
      const [, , , context = '', , name = ''] = path.split('/');
      if (request.method === 'GET') {
        return Response.json({ bookmarks: saved[context] });
      }
      if (name === 'wrong') {
        return Response.json({ message: 'a bookmark needs the url' }, { status: 400 });
      }
      const { url } = (await request.json()) as { url: string };
      saved[context]?.push({ name: decodeURIComponent(name), url });
      return Response.json({}, { status: 201 });
    }
  };
  const catalog = new Catalog(backend.settings);
  const metadata = { call: catalog.call.bind(catalog) } as unknown as IMetadataService;
  const importModule = (): Promise<IPanelModule> => import(/* @vite-ignore */ EXAMPLE) as Promise<IPanelModule>;
  const model = new AppPanelModel(
    { metadata, settings, translator: nullTranslator, importModule },
    { app: 'bookmarks', id: 'list' }
  );
  tab = new AppPanelTab(model, nullTranslator.load(''));
  Widget.attach(tab, document.body);
  await waitUntil(() => hasText('Bookmarks: 0'));
  fillField('Name ', 'a b');
  fillField('URL ', 'https://docs.example');
  await clickButton('Save');
  await waitUntil(() => hasText('a b: https://docs.example'));
  fillField('Name ', 'wrong');
  fillField('URL ', 'https://docs.example');
  await clickButton('Save');
  await waitUntil(() => hasText('a bookmark needs the url'));
  fillField('Namespace', 'ops');
  await waitUntil(() => hasText('Bookmarks: 0'));
  expect([tab.title.label, tab.title.icon === undefined]).toEqual(['Bookmarks', false]);
  expect(calls).toEqual([
    'GET /v1/contexts/default/bookmarks',
    'PUT /v1/contexts/default/bookmarks/a%20b',
    'GET /v1/contexts/default/bookmarks',
    'PUT /v1/contexts/default/bookmarks/wrong',
    'GET /v1/contexts/ops/bookmarks'
  ]);
});

test('a module that cannot be loaded can be tried again', async () => {
  let tries = 0;
  open(server(), () => {
    tries += 1;
    if (tries === 1) {
      throw new TypeError('Failed to fetch dynamically imported module');
    }
    return { activate: ({ element }: IPanelContext) => element.append('Loaded at last') };
  });
  await waitUntil(() => hasText('could not be loaded'));
  expect(document.querySelector('[role="alert"]')?.textContent).toContain(
    'Failed to fetch dynamically imported module'
  );
  await clickButton('Try again');
  await waitUntil(() => hasText('Loaded at last'));
  expect(document.querySelector('[role="alert"]')).toBeNull();
  // A browser does not request the same URL again.
  expect(imported[0]).toBe(`http://lab.test/hub/${MODULE}`);
  expect(imported[1]).toMatch(/panel\.js\?\d+$/);
});

test.each([
  ['throws', () => ({ activate: (): never => fail() }), 'CANARY'],
  ['rejects', () => ({ activate: () => Promise.reject(new Error('CANARY')) }), 'CANARY'],
  ['has no activate', () => ({}), 'exports no function activate']
])('the tab shows that a module %s', async (_, load, message) => {
  open(server(), load);
  await waitUntil(() => hasText('The web module of this panel failed'));
  expect(document.querySelector('[role="alert"]')?.textContent).toContain(message);
  expect(hasText('Loading…')).toBe(false);
});

function fail(): never {
  throw new Error('CANARY');
}

test('a module is disposed of with its tab, and with its namespace', async () => {
  const events: string[] = [];
  const signals: AbortSignal[] = [];
  const opened = open(server(), () => ({
    activate: ({ namespace, signal }: IPanelContext) => {
      events.push(`begin ${namespace}`);
      signals.push(signal);
      return { dispose: () => void events.push(`end ${namespace}`) };
    }
  }));
  await waitUntil(() => opened.model.state.phase === 'active');
  opened.hide();
  opened.show();
  fillField('Namespace', 'ops');
  await waitUntil(() => events.length === 3 && opened.model.state.phase === 'active');
  opened.dispose();
  expect(events).toEqual(['begin default', 'end default', 'begin ops', 'end ops']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a module whose tab closes while it starts is disposed of when it has started', async () => {
  const events: string[] = [];
  let finish = (): void => undefined;
  const opened = open(server(), () => ({
    activate: async ({ element }: IPanelContext) => {
      events.push('begin');
      await new Promise<void>(resolve => (finish = resolve));
      element.append('late');
      return () => void events.push('end');
    }
  }));
  await waitUntil(() => events.length === 1);
  opened.dispose();
  finish();
  await waitUntil(() => events.length === 2);
  expect([events, hasText('late')]).toEqual([['begin', 'end'], false]);
});

test('a module learns the theme and its changes', async () => {
  const seen: boolean[] = [];
  document.body.dataset['jpThemeLight'] = 'true';
  const opened = open(server(), () => ({
    activate: ({ theme }: IPanelContext) => {
      seen.push(theme.isLight);
      theme.changed.connect(({ isLight }) => void seen.push(isLight));
    }
  }));
  await waitUntil(() => opened.model.state.phase === 'active');
  document.body.dataset['jpThemeLight'] = 'false';
  await waitUntil(() => seen.length === 2);
  delete document.body.dataset['jpThemeLight'];
  expect(seen).toEqual([true, false]);
});

test('a panel that is not available is explained', async () => {
  open(server(null), () => ({}));
  await waitUntil(() => hasText('This panel is not available'));
  expect(imported).toEqual([]);
});
