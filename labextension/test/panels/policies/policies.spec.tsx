import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Access } from '../../../src/generated/api';
import { readRules } from '../../../src/model/policies/rules';
import type { IPoliciesActions } from '../../../src/panels/policies';
import { PoliciesModel, PoliciesPanel } from '../../../src/panels/policies';
import { describeRule } from '../../../src/panels/policies/labels';
import { clickButton, findButton } from '../../support/buttons';
import { FakeFeed } from '../../support/feed';
import { FakeServer, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = 'urn:li:accessPolicy:sales';
const FILE = '/srv/policies/etl.yaml';
const RULES = [{ role: 'viewer', to: ['group:analysts'], on: { namespace: ['sales'] } }];
const SALES = {
  ...{ policy: URN, name: 'sales', origin: 'catalog', description: 'Sales', enabled: true, rules: 1, problem: '' },
  to: ['group:analysts']
};
const ETL = { ...SALES, policy: FILE, name: 'etl.yaml', origin: 'file', to: ['*'], problem: '/rules: missing' };
const LIST = {
  inForce: true,
  folder: '/srv/policies',
  admins: ['grace'],
  groups: [{ name: 'analysts', users: ['ada'] }]
};
const SCHEMA = {
  type: 'object',
  properties: { rules: { type: 'array', items: { type: 'object' } } },
  required: ['rules']
};
const SPEC = { name: 'accessRules', title: 'Access rules', scope: 'USER', schema: SCHEMA, uihints: {} };

let panel: PoliciesPanel | null = null;
const done: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  done.length = 0;
});

function server(policies: object[] = [SALES, ETL]): FakeServer {
  const content = {
    policy: FILE,
    name: 'etl.yaml',
    origin: 'file',
    document: { rules: RULES },
    lines: [3],
    problem: ''
  };
  return new FakeServer()
    .on('GET', 'policies', { body: { ...LIST, policies } })
    .on('GET', 'policies/content', { body: content })
    .on('POST', 'policies/check', {
      body: {
        problems: [],
        warnings: [{ pointer: '/rules/0/on/namespace/0', message: 'there is no namespace' }],
        staysAdmin: false
      }
    })
    .on('GET', 'registry/accessPolicy', {
      body: { type: 'accessPolicy', title: 'Policy', keyAspect: 'k', aspects: [SPEC] }
    })
    .on('GET', `entities/${URN}/aspects/accessRules`, {
      body: {
        name: 'accessRules',
        version: 4,
        value: { rules: RULES },
        actor: 'grace',
        time: '2026-11-26T10:00:00.000Z'
      }
    })
    .on('DELETE', `entities/${URN}`, { body: {} });
}

function open(backend: FakeServer, isConfirmed = true, feed: FakeFeed | null = null): PoliciesModel {
  const actions: IPoliciesActions = {
    openEntity: urn => void done.push(`open ${urn}`),
    pickEntity: () => Promise.resolve(table('orders')),
    confirmDeletion: (name, subjects) => {
      done.push(`delete ${name} of ${subjects.join()}`);
      return Promise.resolve(isConfirmed);
    },
    confirmDiscard: () => {
      done.push('discard');
      return Promise.resolve(isConfirmed);
    }
  };
  const model = new PoliciesModel(new Catalog(backend.settings), feed?.feed ?? null);
  panel = new PoliciesPanel(model, actions, null, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  return model;
}

function text(selector: string): string {
  return document.querySelector(selector)?.textContent ?? '';
}

/** Types into a field, as React notices it. */
function type(label: string, value: string): void {
  const labels = [...document.querySelectorAll('label')];
  const input = labels.find(item => item.textContent?.includes(label))?.querySelector('input');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
  input?.dispatchEvent(new Event('input', { bubbles: true }));
}

test('stored policies and files are listed with whom they concern, and why they cannot be used', async () => {
  open(server());
  await waitUntil(() => text('tbody') !== '');
  expect(text(`tr[data-policy="${URN}"]`)).toContain('group analysts (ada)');
  expect(text(`tr[data-policy="${FILE}"]`)).toContain('It cannot be used: /rules: missing');
  expect(document.body.textContent).toContain('grace');
  // A file is changed where it is.
  expect([findButton('Edit sales'), findButton('Edit etl.yaml')].map(Boolean)).toEqual([true, false]);
});

test('the rules of a file are shown in words with their lines', async () => {
  const backend = server();
  open(backend);
  await clickButton('Show etl.yaml');
  await waitUntil(() => text('.jp-Colophon-rules') !== '');
  expect(text('.jp-Colophon-rules')).toBe('group analysts (ada) viewer: namespace sales line 3');
  expect(backend.seen.at(-1)?.query.get('policy')).toBe(FILE);
  await clickButton('Close');
  await waitUntil(() => text('.jp-Colophon-rules') === '');
});

test('the form shows whom a change concerns and names that nothing has, and is saved with the version', async () => {
  const backend = server().on('PUT', `entities/${URN}/aspects/accessRules`, { body: { version: 5 } });
  const model = open(backend);
  await clickButton('Edit sales');
  await waitUntil(() => text('.jp-Colophon-policyImpact').includes('there is no namespace'));
  expect(text('.jp-Colophon-policyImpact')).toContain('This change removes your own rights as an admin');
  const denial = { deny: ['read'], to: ['user:eve'] };
  model.state.editor?.edit({ enabled: true, rules: [denial] });
  await waitUntil(() => text('.jp-Colophon-policyImpact dl').includes('user eve'));
  const marks = [...document.querySelectorAll('.jp-Colophon-policyImpact li[data-mark]')].map(item => item.textContent);
  expect(marks).toEqual(['+ new: may not read: everything', '− removed: viewer: namespace sales']);
  await model.state.editor?.save();
  const put = backend.seen.find(({ method }) => method === 'PUT');
  expect([put?.body, put?.headers.get('If-Match')]).toEqual([{ enabled: true, rules: [denial] }, '"4"']);
  expect(model.state.editor).toBeNull();
});

test('a new policy has a free name, and unsaved changes are discarded only after a confirmation', async () => {
  const model = open(server(), false);
  await clickButton('New policy');
  await waitUntil(() => document.querySelector('.jp-Colophon-newEntry') !== null);
  type('Name', 'sales');
  await clickButton('Continue');
  await waitUntil(() => text('[role="alert"]').includes('There is a policy with this name'));
  type('Name', 'hr');
  await clickButton('Continue');
  await waitUntil(() => model.state.editor?.urn === 'urn:li:accessPolicy:hr');
  model.state.editor?.edit({ rules: RULES });
  expect(panel?.isDirty).toBe(true);
  await clickButton('Show sales');
  await waitUntil(() => done.includes('discard'));
  expect(model.state.editor?.urn).toBe('urn:li:accessPolicy:hr');
});

test('a policy is deleted only if the user confirms whom it concerns', async () => {
  const kept = server();
  open(kept, false);
  await clickButton('Delete sales');
  await waitUntil(() => done.length > 0);
  expect(done).toEqual(['delete sales of group analysts (ada)']);
  panel?.dispose();
  const backend = server();
  open(backend);
  await clickButton('Delete sales');
  await waitUntil(() => backend.count('DELETE', `entities/${URN}`) === 1);
  await waitUntil(() => backend.count('GET', 'policies') === 2);
  expect(kept.count('DELETE', `entities/${URN}`)).toBe(0);
  await clickButton('Versions of sales');
  expect(done.at(-1)).toBe(`open ${URN}`);
});

test('who may do what is answered with the deciding rule', async () => {
  const answer: Access = {
    ...{ urn: table('orders'), user: 'ada', groups: ['analysts'], permission: 'read', allowed: true },
    reason: `viewer by ${FILE}:3`,
    rule: { policy: FILE, index: 0, line: 3, denies: false },
    review: null
  };
  const backend = server().on('GET', 'access', () => ({ body: answer }));
  open(backend);
  await waitUntil(() => document.body.textContent?.includes('Groups') === true);
  type('User', ' ada ');
  type('Groups', 'analysts, etl');
  await clickButton('Choose the entity…');
  await waitUntil(() => document.querySelector<HTMLInputElement>('input[required]')?.value === table('orders'));
  await clickButton('Ask');
  await waitUntil(() => text('[data-allowed]') !== '');
  expect(text('[data-allowed]')).toContain(`Yes: viewer by ${FILE}:3`);
  const query = backend.seen.find(({ path }) => path === 'access')?.query;
  expect(Object.fromEntries(query ?? [])).toMatchObject({
    ...{ urn: table('orders'), permission: 'read', user: 'ada', groups: 'analysts,etl' }
  });
  await clickButton('Show the policy');
  await waitUntil(() => text('.jp-Colophon-rules') !== '');
  answer.reason = `contributor by ${FILE}:3, but a steward must review it, by ${URN}, rule 1`;
  answer.review = { policy: URN, index: 0, line: null, denies: false };
  await clickButton('Ask');
  await waitUntil(() => text('[data-allowed]').includes('After a review: contributor'));
  expect(text('[data-allowed]')).not.toContain('Yes');
  await clickButton('Show the policy of the review');
  await waitUntil(() => backend.seen.at(-1)?.query.get('policy') === URN);
});

test('a rule with reviews states what is proposed, and what only stewards change', () => {
  const [both, instances] = readRules({
    rules: [
      { review: ['annotate', 'edit'], to: ['*'], on: { namespace: ['sales'] } },
      { review: ['edit'], to: ['*'], on: { schemaspace: ['pipelines'] } }
    ]
  }).map(rule => describeRule(rule, nullTranslator.load('')));
  expect(both).toBe('may annotate after a review: namespace sales; only stewards edit instances: namespace sales');
  expect(instances).toBe('only stewards edit instances: schemaspace pipelines');
});

test('users who may not see policies can still ask what they may do', async () => {
  const backend = server()
    .on('GET', 'policies', problem(403, 'you may not read access policies'))
    .on('GET', 'access', problem(404, 'not found'));
  open(backend);
  await waitUntil(() => text('[role="alert"]') !== '');
  expect(text('[role="alert"]')).toContain('you may not read access policies');
  expect([findButton('New policy'), document.body.textContent?.includes('Groups')]).toEqual([undefined, false]);
  type('Entity', table('orders'));
  await clickButton('Ask');
  await waitUntil(() => document.querySelectorAll('[role="alert"]').length === 2);
});

test('the list follows changes of policies, and a form reports a newer version', async () => {
  const backend = server();
  const feed = new FakeFeed();
  const model = open(backend, true, feed);
  await clickButton('Edit sales');
  await waitUntil(() => model.state.editor !== null && feed.holders === 1);
  model.state.editor?.edit({ rules: [] });
  feed.emit('x', { urn: URN, type: 'accessPolicy', aspect: 'accessRules', version: 9, actor: 'bob' });
  await waitUntil(() => model.state.editor?.state.newerActor === 'bob');
  await waitUntil(() => backend.count('GET', 'policies') === 2);
});
