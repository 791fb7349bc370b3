import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { act } from 'react';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { OwnerRequest, ProposalReview } from '../../../src/generated/api';
import { InboxPanel, RequestListModel } from '../../../src/panels/inbox';
import { FakeFeed } from '../../support/feed';
import { column, FakeServer, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = `urn:li:request:(${column('flights', 'dep_delay')},r1)`;
const ADA = { owner: 'urn:li:corpuser:ada', name: 'Ada' };
const BEN = { owner: 'urn:li:corpuser:ben', name: 'Ben' };
let panel: InboxPanel | null = null;
let opened: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function requestOf(part: Partial<OwnerRequest> = {}): OwnerRequest {
  const time = '2026-11-26T10:00:00.000Z';
  const about = column('flights', 'dep_delay');
  const fixed = { urn: URN, about, kind: 'describe', text: 'Which unit?', state: 'open' } as const;
  return {
    ...fixed,
    proposal: null,
    author: BEN,
    assignees: [ADA],
    created: time,
    updated: time,
    comments: [],
    ...part
  };
}

async function show(server: FakeServer, feed: FakeFeed | null = null): Promise<HTMLElement> {
  opened = [];
  server.on('GET', 'me', { body: { user: { username: 'ada', name: 'Ada' }, via: null, scopes: ['annotate'] } });
  const model = new RequestListModel(new Catalog(server.settings), feed?.feed ?? null, {
    list: 'assigned',
    state: 'open'
  });
  panel = new InboxPanel(model, urn => opened.push(urn), nullTranslator.load(''));
  Widget.attach(panel, document.body);
  await waitUntil(() => panel!.model.state.requests !== null || panel!.model.state.problem !== null);
  await act(async () => panel!.renderPromise);
  return panel.node;
}

function getButton(node: HTMLElement, name: string): HTMLButtonElement {
  return [...node.querySelectorAll('button')].find(button => button.textContent?.trim().startsWith(name) === true)!;
}

async function click(node: HTMLElement, name: string): Promise<void> {
  await waitUntil(() => getButton(node, name) !== undefined);
  act(() => getButton(node, name).click());
}

test('a request shows what it is about, and is answered with a comment', async () => {
  let current = requestOf();
  const server = new FakeServer()
    .on('GET', 'requests', () => ({ body: { requests: [current], total: 1, cursor: null, mayGrant: false } }))
    .on('POST', `entities/${URN}/responses`, ({ body }) => {
      const { text, state } = body as { text: string; state: OwnerRequest['state'] };
      current = requestOf({ state, comments: [{ author: ADA, time: current.created, text }] });
      return { body: current };
    });
  const node = await show(server);
  await waitUntil(() => node.textContent?.includes('Which unit?') === true);
  expect(node.textContent).toContain('Please describe this');
  expect(node.textContent).toContain('Ben to Ada');
  await click(node, 'flights.flights.dep_delay');
  expect(opened).toEqual([column('flights', 'dep_delay')]);
  await click(node, 'Answer');
  const input = node.querySelector<HTMLTextAreaElement>('textarea')!;
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!;
  act(() => {
    set.call(input, 'Minutes.');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await click(node, 'Mark as answered');
  await waitUntil(() => node.querySelector('[data-state="answered"]') !== null);
  expect(node.querySelector('[aria-label="Comments"]')?.textContent).toContain('Minutes.');
  expect(server.seen.find(({ method }) => method === 'POST')?.body).toEqual({ text: 'Minutes.', state: 'answered' });
});

test('a request for access is granted, and why it cannot be is shown', async () => {
  let current = requestOf({ kind: 'read', text: 'For the report.' });
  const answers = [problem(403, 'you may not grant read access: only admins change access policies (grace)')];
  const server = new FakeServer()
    .on('GET', 'requests', () => ({ body: { requests: [current], total: 1, cursor: null, mayGrant: true } }))
    .on('POST', `entities/${URN}/responses`, () => {
      const refusal = answers.pop();
      if (refusal !== undefined) {
        return refusal;
      }
      current = requestOf({ kind: 'read', state: 'answered' });
      return { body: current };
    });
  const node = await show(server);
  await click(node, 'Answer');
  await click(node, 'Grant read access');
  await waitUntil(() => node.textContent?.includes('only admins change access policies (grace)') === true);
  await click(node, 'Grant read access');
  await waitUntil(() => node.querySelector('[data-state="answered"]') !== null);
  expect(getButton(node, 'Grant read access')).toBeUndefined();
  expect(server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { grant: 'read' },
    { grant: 'read' }
  ]);
});

test('a request for access cannot be granted where the server does not allow it', async () => {
  const page = { requests: [requestOf({ kind: 'read' })], total: 1, cursor: null, mayGrant: false };
  const node = await show(new FakeServer().on('GET', 'requests', { body: page }));
  await click(node, 'Answer');
  expect(getButton(node, 'Decline')).toBeDefined();
  expect(getButton(node, 'Grant read access')).toBeUndefined();
});

test('own requests are listed in the second tab, and a change of a request loads the list again', async () => {
  const lists: (string | null)[] = [];
  const server = new FakeServer().on('GET', 'requests', ({ query }) => {
    lists.push(query.get('list'));
    return { body: { requests: [], total: 0, cursor: null, mayGrant: false } };
  });
  const feed = new FakeFeed();
  const node = await show(server, feed);
  expect(node.textContent).toContain('No requests to you or your teams.');
  await click(node, 'By me');
  await waitUntil(() => lists.length === 2);
  feed.emit('flights', { type: 'dataset' });
  feed.emit('flights', { type: 'request', aspect: 'request' });
  await waitUntil(() => lists.length === 3);
  expect(lists).toEqual(['assigned', 'asked', 'asked']);
});

test('a problem is shown with a button that tries again', async () => {
  const node = await show(new FakeServer().on('GET', 'requests', problem(503, 'the store is busy')));
  await waitUntil(() => node.textContent?.includes('the store is busy') === true);
});

const PROPOSAL = '1795190400000000';

function reviewOf(part: Partial<ProposalReview> = {}): ProposalReview {
  const about = column('flights', 'dep_delay');
  const before = { properties: { unit: 'hours' }, tags: [] };
  const after = { properties: { unit: 'minutes' }, tags: [] };
  const change = {
    urn: about,
    aspect: 'businessMetadata',
    operation: 'annotate',
    before,
    after,
    problem: null
  } as const;
  const rights = { mayDecide: true, mayWithdraw: false, isOutdated: false };
  const request = requestOf({ kind: 'change', proposal: PROPOSAL, text: 'User metadata (unit)' });
  return { id: PROPOSAL, state: 'waiting', request, expires: request.created, changes: [change], ...rights, ...part };
}

test('a proposed change shows its difference, and is applied with a comment', async () => {
  let review = reviewOf();
  const server = new FakeServer()
    .on('GET', 'requests', () => ({ body: { requests: [review.request], total: 1, cursor: null, mayGrant: false } }))
    .on('GET', `proposals/${PROPOSAL}`, () => ({ body: review }))
    .on('POST', `proposals/${PROPOSAL}/decision`, () => {
      review = reviewOf({ state: 'applied', request: { ...review.request, state: 'answered' }, changes: [] });
      return { body: review.request };
    });
  const feed = new FakeFeed();
  const node = await show(server, feed);
  await waitUntil(() => node.textContent?.includes('waits for review') === true);
  await click(node, 'Show the change');
  await waitUntil(() => node.textContent?.includes('minutes') === true);
  expect(node.querySelector('.jp-Colophon-differences')?.textContent).toContain('properties › unit hours → minutes');
  await click(node, 'Apply');
  await waitUntil(() => server.seen.some(({ method }) => method === 'POST'));
  expect(server.seen.find(({ method }) => method === 'POST')?.body).toEqual({ decision: 'apply' });
  await waitUntil(() => getButton(node, 'Apply') === undefined);
  feed.emit('flights', { type: 'request', aspect: 'request' });
  await waitUntil(() => node.querySelector('[data-state="answered"]')?.textContent?.includes('applied') === true);
});

test('an outdated proposal is brought up to date by its author, who may not apply it', async () => {
  const detail = 'businessMetadata of this entity has changed';
  const problem = { type: 'urn:x', title: 'Condition failed', status: 412, detail, errors: [] };
  const { changes } = reviewOf();
  let review = reviewOf({
    mayDecide: false,
    mayWithdraw: true,
    isOutdated: true,
    changes: changes.map(change => ({ ...change, before: null, after: null, problem }))
  });
  const server = new FakeServer()
    .on('GET', 'requests', () => ({ body: { requests: [review.request], total: 1, cursor: null, mayGrant: false } }))
    .on('GET', `proposals/${PROPOSAL}`, () => ({ body: review }))
    .on('POST', `proposals/${PROPOSAL}/decision`, () => {
      review = reviewOf({ mayDecide: false, mayWithdraw: true });
      return { body: review.request };
    });
  const node = await show(server);
  await click(node, 'Show the change');
  await waitUntil(() => node.textContent?.includes('The entity has changed since.') === true);
  expect(getButton(node, 'Apply')).toBeUndefined();
  await click(node, 'Bring up to date');
  await waitUntil(() => node.textContent?.includes('minutes') === true);
  expect(getButton(node, 'Bring up to date')).toBeUndefined();
  expect(getButton(node, 'Withdraw')).toBeDefined();
});
