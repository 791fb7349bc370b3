import { Widget } from '@lumino/widgets';
import { act } from 'react';
import { afterEach, expect, test } from 'vitest';
import type { Aspect, Entity, EntityType, PipelineExecution } from '../../../../src/generated/api';
import type { EntityPanel } from '../../../../src/panels/entity';
import type { IChangeFeed, ISearch } from '../../../../src/tokens';
import { createEntityPage } from '../../../support/entity-page';
import { FakeFeed } from '../../../support/feed';
import { entityOf, FakeServer, PEOPLE, problem, table } from '../../../support/server';
import { waitUntil } from '../../../support/wait-until';

const ORDERS = table('orders');
const PATH = `entities/${ORDERS}/aspects/expectations`;
const SPEC: EntityType['aspects'][number] = {
  ...PEOPLE,
  name: 'expectations',
  title: 'Expectations',
  editableByDefault: false,
  uihints: {},
  described: [],
  schema: { type: 'object' }
};
const SCHEMA = {
  fields: [
    { fieldPath: 'amount', nativeDataType: 'double' },
    { fieldPath: 'state', nativeDataType: 'string' }
  ]
};
const EXPECTATIONS = {
  expectations: { 'amount-range': { kind: 'range', column: 'amount', min: 0, max: 100, description: 'In euros.' } }
};
const NOON = Date.parse('2026-11-20T12:00:00Z');
const FAILED = {
  status: 'failing',
  results: {
    'amount-range': {
      ...{ kind: 'range', column: 'amount', status: 'failed', time: NOON },
      ...{ failing: 12, rows: 1000, observed: '-3 to 120', samples: ['-3'] },
      source: { kind: 'cell', run: 'urn:li:dataProcessInstance:r', name: 'orders.ipynb' },
      history: [
        { time: NOON, status: 'failed' },
        { time: NOON - 1, status: 'passed' },
        { time: NOON - 2, status: 'passed' }
      ]
    }
  }
};
let panel: EntityPanel | null = null;

afterEach(() => {
  panel?.dispose();
  panel = null;
});

/** A table with aspects. */
function describe(aspects: Record<string, object>): Entity {
  const entity = entityOf('orders', { properties: {}, tags: [] });
  const user = entity.aspects['businessMetadata']!;
  const more = Object.entries(aspects).map(([name, value]): [string, Aspect] => [
    name,
    { ...user, name, value, scope: name === 'quality' ? 'SYSTEM' : 'USER' }
  ]);
  return { ...entity, aspects: { ...entity.aspects, ...Object.fromEntries(more) } };
}

async function show(
  server: FakeServer,
  entity: Entity,
  options: { scopes?: string[]; search?: (search: ISearch) => void; feed?: IChangeFeed } = {}
): Promise<HTMLElement> {
  const { scopes = ['read', 'annotate'], ...more } = options;
  server
    .on('GET', 'me', { body: { user: { username: 'ada', name: 'Ada' }, scopes } })
    .on('GET', `entities/${ORDERS}`, { body: entity })
    .on('GET', 'registry/dataset', {
      body: { type: 'dataset', title: 'Dataset', keyAspect: 'datasetKey', aspects: [PEOPLE, SPEC] }
    })
    .on('GET', 'requests', { body: { requests: [], total: 0, cursor: null, mayGrant: false } });
  panel = createEntityPage(server, ORDERS, more);
  Widget.attach(panel, document.body);
  await waitUntil(() => panel!.node.querySelector('.jp-Colophon-overview') !== null);
  return panel.node;
}

function getSection(node: HTMLElement): HTMLElement | null {
  return node.querySelector('[data-aspect="expectations"]');
}

function click(node: HTMLElement, text: string): void {
  const button = [...node.querySelectorAll<HTMLElement>('button')].find(
    ({ textContent, ariaLabel }) => (ariaLabel ?? textContent)?.trim() === text
  );
  act(() => button!.click());
}

async function clickWhenEnabled(node: HTMLElement, text: string): Promise<void> {
  await waitUntil(() =>
    [...node.querySelectorAll('button')].some(
      button => button.textContent.trim() === text && !button.disabled && button.ariaDisabled !== 'true'
    )
  );
  click(node, text);
}

/** Returns the control of the form with a label. */
function findControl(node: HTMLElement, label: string): HTMLInputElement {
  const found = [...node.querySelectorAll('form label')].find(({ textContent }) => textContent === label);
  return node.querySelector(`[id="${found?.getAttribute('for')}"]`)!;
}

/** Sets a control as a user does. */
function enter(node: HTMLElement, label: string, value: string): void {
  const control = findControl(node, label);
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')!;
  act(() => {
    set!.call(control, value);
    control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
  });
}

async function openForm(node: HTMLElement, button: string): Promise<void> {
  click(node, button);
  await waitUntil(() => node.querySelector('form button[type="submit"]') !== null);
}

function submit(node: HTMLElement): void {
  act(() => node.querySelector<HTMLFormElement>('form')!.requestSubmit());
}

test('a failed check shows what was expected and found, where, and its history', async () => {
  const node = await show(new FakeServer(), describe({ expectations: EXPECTATIONS, quality: FAILED }));
  const item = getSection(node)!.querySelector<HTMLElement>('[data-expectation="amount-range"]')!;
  expect(item.textContent).toContain('failed amount is between 0 and 100');
  expect(item.textContent).toContain('12 of 1,000 rows fail · found: -3 to 120 · for example: -3');
  expect(item.textContent).toMatch(/checked .* by orders\.ipynb/);
  expect(item.textContent).toContain('In euros.');
  expect(item.querySelector('[role="img"]')!.getAttribute('aria-label')).toBe('2 of the last 3 checks passed');
  const badge = node.querySelector('header .jp-Colophon-qualityBadge')!;
  expect(badge.textContent).toContain('Quality failing: 1 failed');
});

test('a failed warning is marked as one', async () => {
  const expectation = { ...EXPECTATIONS.expectations['amount-range'], severity: 'warning' };
  const node = await show(
    new FakeServer(),
    describe({ expectations: { expectations: { 'amount-range': expectation } }, quality: FAILED })
  );
  expect(getSection(node)!.querySelector('[data-status="warning"]')!.textContent).toContain(
    'warning amount is between'
  );
  expect(node.querySelector('header .jp-Colophon-qualityBadge')!.textContent).toContain(
    'Quality with warnings: 1 warning'
  );
  await openForm(node, 'Edit: amount is between 0 and 100');
  expect(findControl(node, 'A failure is').value).toBe('warning');
});

test('an expectation that was never checked has its severity', async () => {
  const expectation = { ...EXPECTATIONS.expectations['amount-range'], severity: 'warning' };
  const node = await show(new FakeServer(), describe({ expectations: { expectations: { a: expectation } } }));
  expect(getSection(node)!.textContent).toContain('never checked amount is between 0 and 100 a failure is a warning');
});

test('failing datasets are found with one click', async () => {
  const searches: ISearch[] = [];
  const node = await show(new FakeServer(), describe({ expectations: EXPECTATIONS, quality: FAILED }), {
    search: search => searches.push(search)
  });
  click(node, 'All failing datasets');
  expect(searches).toEqual([{ query: 'quality:failing', filters: {} }]);
});

test('without results, the page states that nothing was checked, and how to check', async () => {
  const node = await show(new FakeServer(), describe({ expectations: EXPECTATIONS }));
  expect(node.querySelector('header .jp-Colophon-qualityBadge')!.textContent).toContain(
    'Quality not checked: 1 never checked'
  );
  expect(getSection(node)!.textContent).toContain('never checked');
  const code = getSection(node)!.querySelector('pre')!.textContent;
  expect(code).toContain('spark = get_session()');
  expect(code).toContain('metadata.check(orders, ');
});

test('the data is checked on the server until it ends, and refusals show the reason', async () => {
  const execution: PipelineExecution = {
    ...{ id: 'c1', kind: 'check', pipeline: '', dataset: ORDERS, run: 'urn:li:dataProcessInstance:c1' },
    ...{ status: 'running', started: '2026-11-20T12:00:00.000Z', ended: null, problem: '', log: '', stages: [] }
  };
  const answers = [
    problem(400, 'data of the platform kafka is not read by its name'),
    { status: 201, body: execution }
  ];
  let read = execution;
  const server = new FakeServer()
    .on('POST', `entities/${ORDERS}/quality/checks`, () => answers.shift()!)
    .on('GET', 'pipelines/executions/c1', () => ({ body: read }));
  const feed = new FakeFeed();
  const scopes = ['read', 'annotate', 'admin'];
  const node = await show(server, describe({ expectations: EXPECTATIONS }), { scopes, feed: feed.feed });
  await clickWhenEnabled(node, 'Check now');
  await waitUntil(() => getSection(node)!.textContent.includes('data of the platform kafka'));
  await clickWhenEnabled(node, 'Check now');
  await waitUntil(() => getSection(node)!.textContent.includes('Checking the data'));
  // A tab that is shown again continues to show it.
  act(() => panel!.model.selectTab('raw'));
  await waitUntil(() => getSection(node) === null);
  act(() => panel!.model.selectTab('overview'));
  await waitUntil(() => getSection(node)!.textContent.includes('Checking the data'));
  read = { ...execution, status: 'failed', ended: '2026-11-20T12:00:09.000Z', problem: 'Java is missing' };
  feed.emit('orders', { operation: 'run-end', run: execution.run });
  await waitUntil(() => getSection(node)!.textContent.includes('The check failed: Java is missing'));
  expect(getSection(node)!.querySelector('[role="status"]')!.textContent).toContain('Java is missing');
});

test('who may not run code on the server has no button for it', async () => {
  const node = await show(new FakeServer(), describe({ expectations: EXPECTATIONS }));
  expect(getSection(node)!.textContent).not.toContain('Check now');
});

test('without expectations, readers see nothing, and no request is made for it', async () => {
  const server = new FakeServer();
  const node = await show(server, describe({}), { scopes: ['read'] });
  expect(getSection(node)).toBeNull();
  expect(node.querySelector('.jp-Colophon-qualityBadge')).toBeNull();
  expect(server.seen.filter(({ path }) => path.includes('quality') || path.includes('expectations'))).toEqual([]);
});

test('an expectation is added in a form; errors are at their fields', async () => {
  const written: unknown[] = [];
  const answers = [
    problem(422, 'Invalid.', [{ pointer: '/expectations/state-set/values/0', message: 'No such state.' }]),
    { body: { urn: ORDERS, aspect: 'expectations', version: 1, seq: 1, changed: true } }
  ];
  const server = new FakeServer().on('PUT', PATH, ({ body }) => {
    written.push(body);
    return answers.shift()!;
  });
  const node = await show(server, describe({ schemaMetadata: SCHEMA }));
  await openForm(node, 'Add an expectation');
  enter(node, 'Expected', 'set');
  expect([...findControl(node, 'Column').querySelectorAll('option')].map(option => option.textContent)).toEqual([
    'Choose a column',
    'amount (double)',
    'state (string)'
  ]);
  expect(node.querySelectorAll('form [role="alert"]')).toHaveLength(0);
  submit(node);
  await waitUntil(() => node.querySelectorAll('form [role="alert"]').length === 2);
  expect(findControl(node, 'Column').getAttribute('aria-invalid')).toBe('true');
  expect(written).toEqual([]);

  enter(node, 'Column', 'state');
  enter(node, 'Values', 'open\npaid');
  submit(node);
  await waitUntil(() => node.querySelector('form [role="alert"]')?.textContent === 'No such state.');
  expect(findControl(node, 'Values').getAttribute('aria-invalid')).toBe('true');

  enter(node, 'Values', 'paid');
  submit(node);
  await waitUntil(() => node.querySelector('form') === null);
  expect(written.at(-1)).toEqual({
    expectations: { 'state-set': { kind: 'set', column: 'state', values: ['paid'] } }
  });
});

test('a form that is closed gives the focus back to its button', async () => {
  const node = await show(new FakeServer(), describe({ expectations: EXPECTATIONS, schemaMetadata: SCHEMA }));
  for (const button of ['Add an expectation', 'Edit: amount is between 0 and 100']) {
    await openForm(node, button);
    act(() => findControl(node, 'Expected').focus());
    click(node, 'Cancel');
    await waitUntil(() => node.querySelector('form') === null);
    const { ariaLabel, textContent } = document.activeElement as HTMLElement;
    expect(ariaLabel ?? textContent).toBe(button);
  }
});

test('an edit keeps another expectation that somebody else adds meanwhile', async () => {
  const theirs = { expectations: { ...EXPECTATIONS.expectations, rows: { kind: 'rowCount', min: 1 } } };
  const written: unknown[] = [];
  const stale = problem(412, 'Changed.');
  const server = new FakeServer()
    .on('GET', PATH, { body: { version: 2, value: theirs, actor: 'bob', time: '2026-11-20T12:00:00.000Z' } })
    .on('PUT', PATH, ({ body, headers }) => {
      written.push(body);
      return headers.get('If-Match') === '"2"'
        ? { body: { urn: ORDERS, aspect: 'expectations', version: 3, seq: 3, changed: true } }
        : stale;
    });
  const node = await show(server, describe({ expectations: EXPECTATIONS, schemaMetadata: SCHEMA }));
  await openForm(node, 'Edit: amount is between 0 and 100');
  enter(node, 'Maximum', '200');
  submit(node);
  await waitUntil(() => node.querySelector('form') === null);
  expect(written.at(-1)).toEqual({
    expectations: {
      'amount-range': { ...EXPECTATIONS.expectations['amount-range'], max: 200 },
      rows: { kind: 'rowCount', min: 1 }
    }
  });
});

test('an expectation is removed at once', async () => {
  const written: unknown[] = [];
  const server = new FakeServer().on('PUT', PATH, ({ body }) => {
    written.push(body);
    return { body: { urn: ORDERS, aspect: 'expectations', version: 2, seq: 2, changed: true } };
  });
  const node = await show(server, describe({ expectations: EXPECTATIONS }));
  click(node, 'Remove amount is between 0 and 100');
  await waitUntil(() => written.length > 0);
  expect(written).toEqual([{ expectations: {} }]);
});
