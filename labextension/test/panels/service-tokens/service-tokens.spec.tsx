import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { ServiceTokensModel, ServiceTokensPanel } from '../../../src/panels/service-tokens';
import { isExpired, parseNamespaces } from '../../../src/panels/service-tokens/model';
import { FakeServer, problem } from '../../support/server';
import { clickButton, findButton } from '../../support/buttons';
import { waitUntil } from '../../support/wait-until';

const AIRFLOW = {
  id: '3f9a1c20b7de',
  name: 'airflow',
  scopes: ['emit', 'read'],
  namespaces: ['sales'],
  createdBy: 'ada',
  created: '2026-11-20T16:00:00.000Z',
  expires: '2999-01-01T00:00:00.000Z',
  rotated: null,
  previousExpires: null,
  lastUsed: null
};
const OLD = { ...AIRFLOW, name: 'old', namespaces: null, expires: '2020-01-01T00:00:00.000Z' };
const SECRET = `colophon_${'x'.repeat(43)}`;

let panel: ServiceTokensPanel | null = null;
const done: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  done.length = 0;
});

function server(): FakeServer {
  return new FakeServer()
    .on('GET', 'service-tokens', { body: { serviceTokens: [AIRFLOW, OLD] } })
    .on('POST', 'service-tokens', { status: 201, body: { ...AIRFLOW, name: 'ci', token: SECRET } })
    .on('POST', 'service-tokens/airflow/rotate', { body: { ...AIRFLOW, token: SECRET } })
    .on('DELETE', 'service-tokens/airflow', { body: AIRFLOW });
}

/** Opens the page; `overlap` and `isRevoked` are the answers to the questions. */
function open(behind: FakeServer, overlap: number | null = 3600, isRevoked = true): ServiceTokensModel {
  const model = new ServiceTokensModel(new Catalog(behind.settings));
  const actions = {
    copy: (token: string) => void done.push(`copy ${token}`),
    confirmRotation: () => Promise.resolve(overlap),
    confirmRevocation: () => Promise.resolve(isRevoked)
  };
  panel = new ServiceTokensPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  return model;
}

function cells(name: string): (string | null)[] {
  return [...document.querySelectorAll(`tr[data-name="${name}"] > *`)].map(cell => cell.textContent);
}

function field(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find(item => item.textContent?.includes(label));
  return found?.querySelector('input') ?? (document.getElementById(found?.htmlFor ?? '') as HTMLInputElement);
}

/** Types into a field, as React notices it. */
function type(label: string, text: string): void {
  const input = field(label);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

test('tokens are listed with their rights, and expired ones are marked', async () => {
  open(server());
  await waitUntil(() => cells('airflow').length > 0);
  expect(cells('airflow').slice(0, 3)).toEqual(['airflow', 'emit, read', 'sales']);
  expect(cells('airflow')[4]).toBe('never');
  expect(cells('old')[2]).toBe('all');
  expect(cells('old')[3]).toContain('expired');
  expect(cells('airflow')[3]).not.toContain('expired');
});

test('a token is created, shown once, selected for copying, and forgotten', async () => {
  const behind = server();
  const model = open(behind);
  await clickButton('New service token');
  await waitUntil(() => document.querySelector('form') !== null);
  type('Name', 'ci');
  type('Namespaces', 'sales, hr sales');
  field('admin: delete').click();
  await clickButton('Create');
  await waitUntil(() => model.state.issued !== null && document.querySelector('form') === null);
  const sent = behind.seen.find(({ method }) => method === 'POST');
  expect(sent?.body).toEqual({
    name: 'ci',
    scopes: ['read', 'emit', 'admin'],
    namespaces: ['sales', 'hr'],
    expiresInDays: 90
  });
  const shown = document.querySelector<HTMLInputElement>('.jp-Colophon-issuedToken input');
  await waitUntil(() => document.activeElement === shown);
  expect([shown?.value, shown?.readOnly]).toEqual([SECRET, true]);
  await clickButton('Copy');
  expect(done).toEqual([`copy ${SECRET}`]);
  await clickButton('Done');
  await waitUntil(() => !document.body.innerHTML.includes(SECRET));
  expect(model.state.issued).toBeNull();
});

test('a token is rotated and revoked only if the user confirms', async () => {
  const behind = server();
  const model = open(behind);
  await clickButton('Rotate airflow');
  await waitUntil(() => model.state.issued !== null);
  expect(behind.seen.find(({ method }) => method === 'POST')?.body).toEqual({ overlapSeconds: 3600 });
  await clickButton('Revoke airflow');
  await waitUntil(() => behind.count('DELETE', 'service-tokens/airflow') === 1);
  // The token that was shown is no longer of use.
  await waitUntil(() => model.state.issued === null);
  panel?.dispose();

  const other = server();
  open(other, null, false);
  await clickButton('Rotate airflow');
  await clickButton('Revoke airflow');
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(other.seen.map(({ method }) => method)).toEqual(['GET']);
});

test('a refused creation keeps the form and shows the problem', async () => {
  const behind = server().on('POST', 'service-tokens', problem(409, 'it already exists'));
  const model = open(behind);
  expect(await model.create({ name: 'airflow', scopes: ['read'] })).toBe(false);
  await waitUntil(() => document.querySelector('[role="alert"]') !== null);
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('it already exists');
});

test('users without the permission get the reason, and no form', async () => {
  open(server().on('GET', 'service-tokens', problem(403, 'you may not manage service tokens')));
  await waitUntil(() => document.querySelector('[role="alert"]') !== null);
  await waitUntil(() => findButton('New service token') === undefined);
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('you may not manage service tokens');
});

test('lists of namespaces and times of expiry are read', () => {
  expect([parseNamespaces(''), parseNamespaces(' , ')]).toEqual([null, null]);
  expect(parseNamespaces('a,b  c,a')).toEqual(['a', 'b', 'c']);
  const token = { ...AIRFLOW, scopes: [] };
  expect([isExpired(token, 0), isExpired({ ...token, expires: OLD.expires }, Date.now())]).toEqual([false, true]);
});
