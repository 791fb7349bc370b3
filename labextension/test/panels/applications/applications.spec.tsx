import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { ApplicationsModel, ApplicationsPanel } from '../../../src/panels/applications';
import { clickButton, findButton } from '../../support/buttons';
import { FakeServer, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const PANEL = {
  ...{ app: 'bookmarks', id: 'list', title: 'Bookmarks', icon: '', contexts: true },
  ...{ version: '0', module: 'colophon/v3/namespaces/system/apps/bookmarks/panels/list/0/panel.js' }
};
const BOOKMARKS = {
  ...{ name: 'bookmarks', package: 'shop-bookmarks', version: '1.0', state: 'running', problem: '' },
  ...{ tables: ['app_bookmarks_bookmarks'], deployedVersion: '1.0', warnings: [] as string[] }
};
const LOG = [
  { seq: 1, time: 1_795_000_000_000, level: 'INFO', message: 'deployed' },
  { seq: 2, time: 1_795_000_001_000, level: 'ERROR', message: 'ValueError in list_bookmarks' }
];
const EVENT = {
  ...{ app: 'broken', listener: 'CountRuns', version: 1, number: 17, attempts: 8, due: null, parked: true },
  ...{ urn: table('orders'), problem: 'ValueError: no status', failed: '2026-11-20T12:00:00.000Z' }
};
const BROKEN = {
  ...BOOKMARKS,
  name: 'broken',
  state: 'failed',
  tables: [],
  problem: 'ValueError: no such column',
  warnings: ['1 parked event']
};

let panel: ApplicationsPanel | null = null;
const done: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  done.length = 0;
});

function server(isAdmin = true): FakeServer {
  let state = 'running';
  let events = [EVENT, { ...EVENT, number: 18, attempts: 0, parked: false, problem: '', failed: null }];
  const removeEvent = (number: number) => () => {
    events = events.filter(event => event.number !== number);
    return { body: { ...EVENT, number } };
  };
  const setState = (next: string) => () => {
    state = next;
    return { body: { ...BOOKMARKS, state } };
  };
  return new FakeServer()
    .on('GET', 'system-apps/panels', () => ({ body: { panels: state === 'running' ? [PANEL] : [] } }))
    .on('GET', 'access', { body: { allowed: isAdmin } })
    .on('GET', 'system-apps', () => ({ body: { systemApps: [{ ...BOOKMARKS, state }, BROKEN] } }))
    .on('POST', 'system-apps/bookmarks/disable', setState('disabled'))
    .on('POST', 'system-apps/bookmarks/enable', setState('running'))
    .on('GET', 'system-apps/bookmarks/logs', { body: { records: LOG, cursor: 2 } })
    .on('GET', 'system-apps/broken/events', () => ({ body: { events } }))
    .on('POST', 'system-apps/broken/listeners/CountRuns/events/17/retry', removeEvent(17))
    .on('DELETE', 'system-apps/broken/listeners/CountRuns/events/18', removeEvent(18))
    .on('POST', 'system-apps/broken/enable', problem(503, 'the store is read-only'));
}

function open(backend: FakeServer, isConfirmed = true): void {
  const actions = {
    confirmDisabling: (name: string) => {
      done.push(`disable ${name}`);
      return Promise.resolve(isConfirmed);
    },
    confirmDrop: ({ number }: { number: number }) => {
      done.push(`drop ${number}`);
      return Promise.resolve(isConfirmed);
    },
    openEntity: (urn: string) => void done.push(urn),
    openPanel: ({ app, id }: { app: string; id: string }) => void done.push(`open ${app}/${id}`)
  };
  panel = new ApplicationsPanel(new ApplicationsModel(new Catalog(backend.settings)), actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
}

function rows(label = 'Installed applications', columns = 5): (string | null)[][] {
  return [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map(row =>
    [...row.querySelectorAll('th, td')].slice(0, columns).map(cell => cell.textContent)
  );
}

function hasText(text: string): boolean {
  return document.body.textContent?.includes(text) === true;
}

test('panels are opened, and administrators see the state of applications', async () => {
  open(server());
  await clickButton('Bookmarks');
  expect(done).toEqual(['open bookmarks/list']);
  await waitUntil(() => rows().length === 2);
  expect(rows()).toEqual([
    ['bookmarks', '1.0 of shop-bookmarks', 'running', 'app_bookmarks_bookmarks', 'Bookmarks'],
    [
      'broken',
      '1.0 of shop-bookmarks',
      'failedValueError: no such columnThe log of the server has the traceback.1 parked event',
      '',
      ''
    ]
  ]);
});

test('an application is disabled after a confirmation, and enabled again', async () => {
  const backend = server();
  open(backend);
  await clickButton('Disable bookmarks');
  await waitUntil(() => rows()[0]?.[2] === 'disabled');
  expect(done).toEqual(['disable bookmarks']);
  expect(hasText('No running application has a panel')).toBe(true);
  await clickButton('Enable bookmarks');
  await waitUntil(() => rows()[0]?.[2] === 'running');
  await clickButton('Load broken again');
  await waitUntil(() => hasText('the store is read-only'));
});

test('an application stays enabled without the confirmation', async () => {
  const backend = server();
  open(backend, false);
  await clickButton('Disable bookmarks');
  await waitUntil(() => done.length > 0);
  expect(backend.seen.every(({ method }) => method === 'GET')).toBe(true);
});

test('events that are not handled are tried again and dropped', async () => {
  const backend = server();
  open(backend);
  const events = (): (string | null)[][] => rows('Events that are not handled', 6);
  await waitUntil(() => events().length === 2);
  const entity = 'flights.orders';
  expect(events()).toEqual([
    ['17', 'CountRuns of broken', entity, 'ValueError: no status', '8', 'not any more'],
    ['18', 'CountRuns of broken', entity, '', '0', 'after earlier events of the entity']
  ]);
  await clickButton('Try event 17 of CountRuns again');
  await waitUntil(() => events().length === 1);
  await clickButton('Drop event 18 of CountRuns');
  await waitUntil(() => events().length === 0 && !hasText('Events that are not handled'));
  expect(document.activeElement?.textContent).toBe('Applications');
  expect(done).toEqual(['drop 18']);
  // Those of an application without warnings are not requested.
  expect(backend.count('GET', 'system-apps/bookmarks/events')).toBe(0);
});

test('the log of an application is shown, newest first, and closed', async () => {
  open(server());
  await clickButton('Show the log of bookmarks');
  const title = 'Log of bookmarks';
  await waitUntil(() => rows(title).length === 2);
  expect(rows(title).map(([, level, message]) => [level, message])).toEqual([
    ['ERROR', 'ValueError in list_bookmarks'],
    ['INFO', 'deployed']
  ]);
  expect(document.activeElement?.textContent).toBe(title);
  await clickButton('Close');
  await waitUntil(() => !hasText(title));
  expect(document.activeElement?.textContent).toBe('Applications');
});

test('other users see only the panels, and cause no refused request', async () => {
  const backend = server(false);
  open(backend);
  await waitUntil(() => findButton('Bookmarks') !== undefined);
  expect(hasText('Installed applications')).toBe(false);
  expect(backend.count('GET', 'system-apps')).toBe(0);
});
