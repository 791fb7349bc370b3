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
const TIME = '2026-11-27T08:00:00.000Z';
const BOOKMARKS = {
  ...{ name: 'bookmarks', package: 'shop-bookmarks', version: '1.0', state: 'running', problem: '' },
  ...{ tables: ['app_bookmarks_bookmarks'], deployedVersion: '1.0', warnings: [] as string[] },
  workers: [{ service: 'jobs', requested: 1, running: 1, restarts: 3, problem: '' }],
  services: [
    { name: 'jobs', kind: 'spark', requested: 1, running: 1 },
    { name: 'service', kind: 'service', requested: null, running: 0 }
  ],
  schedules: [
    { name: 'clean', when: '0 5 * * 1-5', next: null, last: null, problem: '' },
    { name: 'tick', when: 'PT1H', next: TIME, last: TIME, problem: '' },
    { name: 'tock', when: 'PT2H', next: TIME, last: TIME, problem: 'ValueError: no tock' }
  ]
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
  ...{ workers: [], services: [], schedules: [] },
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
    confirmDeletion: () => Promise.resolve(isConfirmed),
    confirmDroppingTables: (name: string) => {
      done.push(`drop tables of ${name}`);
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

test('the tables of an application that is not installed are deleted after a confirmation', async () => {
  let apps = [{ ...BROKEN, name: 'old', package: '', state: 'uninstalled', problem: '', tables: ['app_old_rows'] }];
  const backend = server()
    .on('GET', 'system-apps', () => ({ body: { systemApps: apps } }))
    .on('DELETE', 'system-apps/old/tables', () => {
      const [old] = apps;
      apps = [];
      return { body: { ...old, tables: [] } };
    });
  open(backend);
  await waitUntil(() => rows().length === 1);
  expect(rows()[0]?.slice(0, 4)).toEqual(['old', '1.0', 'not installed1 parked event', 'app_old_rows']);
  expect([findButton('Enable old'), findButton('Disable old')]).toEqual([undefined, undefined]);
  await clickButton('Delete the tables of old');
  await waitUntil(() => hasText('No installed package has a system application.'));
  expect([done, document.activeElement?.textContent]).toEqual([['drop tables of old'], 'Applications']);
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

test('the instances of a service are set, and a refusal is shown at its input', async () => {
  let requested: number | null = null;
  const path = 'system-apps/bookmarks/services/service/instances';
  const backend = server()
    .on('GET', 'system-apps', () => {
      const [jobs, service] = BOOKMARKS.services;
      return { body: { systemApps: [{ ...BOOKMARKS, services: [jobs, { ...service, requested, running: 0 }] }] } };
    })
    .on('PUT', path, ({ body }) => {
      const { instances } = body as { instances: number };
      if (instances > 64) {
        const errors = [{ pointer: '/instances', message: '99 is greater than the maximum of 64' }];
        const detail = 'the body is not valid';
        return { status: 400, type: 'application/problem+json', body: { status: 400, title: 'Bad', detail, errors } };
      }
      requested = instances;
      return { body: BOOKMARKS };
    });
  open(backend);
  await waitUntil(() => rows('Services').length === 2);
  expect(rows('Services')).toEqual([
    ['jobs of bookmarks', 'with Spark', '1', '1', '3'],
    ['service of bookmarks', 'without Spark', 'threads', '', '']
  ]);
  const input = document.querySelector<HTMLInputElement>('[aria-label="Instances of service of bookmarks"]');
  const enter = async (value: string): Promise<void> => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
    input?.dispatchEvent(new Event('input', { bubbles: true }));
    await clickButton('Set the instances of service of bookmarks');
  };
  await enter('99');
  await waitUntil(() => input?.getAttribute('aria-invalid') === 'true');
  const message = document.getElementById(input?.getAttribute('aria-describedby') ?? '');
  expect([message?.getAttribute('role'), message?.textContent]).toEqual([
    'alert',
    '99 is greater than the maximum of 64'
  ]);
  await enter('2');
  await waitUntil(() => rows('Services')[1]?.[2] === '2');
  expect([input?.getAttribute('aria-invalid'), hasText('maximum of 64')]).toEqual(['false', false]);
  expect(backend.count('PUT', path)).toBe(2);
});

test('schedules are shown with their next and last runs', async () => {
  open(server());
  await waitUntil(() => rows('Schedules').length === 3);
  const time = new Date(TIME).toLocaleString();
  expect(rows('Schedules')).toEqual([
    ['clean of bookmarks', '0 5 * * 1-5', 'not scheduled', 'none', ''],
    ['tick of bookmarks', 'PT1H', time, time, 'succeeded'],
    ['tock of bookmarks', 'PT2H', time, time, 'ValueError: no tock']
  ]);
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
