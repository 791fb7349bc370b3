import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { FieldsMetadata } from '../../../src/generated/api';
import { EntityPanel } from '../../../src/panels/entity';
import { EntityModel } from '../../../src/panels/entity/model';
import { SpokenFeed } from '../../support/feed';
import { column, entityOf, FakeServer, PEOPLE, problem, table } from '../../support/server';
import { until } from '../../support/waiting';

const URN = table('staff');
const SAID = `entities/${URN}/fields/metadata`;

let panel: EntityPanel | null = null;
let opened: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

type Said = FieldsMetadata['fields'][number];

function said(name: string, user: Partial<Said['USER']> = {}, system: Partial<Said['USER']> = {}): Said {
  const nothing = { properties: {}, tags: [], version: 1 };
  const scopes = { USER: { ...nothing, ...user }, SYSTEM: { ...nothing, ...system } };
  return { name, urn: column('staff', name), ...scopes, descriptors: [] };
}

function page(fields: Said[], cursor: string | null = null): { body: FieldsMetadata } {
  return { body: { urn: URN, fields, cursor } };
}

/** A table with these columns, and what DataHub's pages would have written of them. */
function serving(fields: unknown[], edits: object[] = [], scopes = ['read', 'annotate']): FakeServer {
  const entity = entityOf('staff', { properties: {}, tags: [] });
  const told = { scope: 'SYSTEM' as const, version: 1, actor: 'ada', via: null, time: '' };
  entity.aspects['schemaMetadata'] = { ...told, name: 'schemaMetadata', value: { fields } };
  entity.aspects['editableSchemaMetadata'] = {
    ...told,
    name: 'editableSchemaMetadata',
    value: { editableSchemaFieldInfo: edits }
  };
  const type = { type: 'dataset', title: 'T', keyAspect: 'k', aspects: [PEOPLE] };
  return new FakeServer()
    .on('GET', `entities/${URN}`, { body: entity })
    .on('GET', 'registry/dataset', { body: type })
    .on('GET', 'registry/schemaField', { body: { ...type, type: 'schemaField' } })
    .on('GET', 'me', { body: { user: {}, via: null, scopes, version: '0' } })
    .on('GET', 'runs', { body: { runs: [], cursor: null } })
    .on('GET', `entities/${URN}/aspects/datasetProfile/values`, { body: { values: [] } })
    .on('GET', `entities/${URN}/aspects/businessMetadata/versions`, { body: { versions: [], cursor: null } });
}

function named(...names: string[]): object[] {
  return names.map(fieldPath => ({ fieldPath, nativeDataType: 'string', nullable: true }));
}

async function shown(server: FakeServer, spoken: SpokenFeed | null = null): Promise<void> {
  opened = [];
  const actions = {
    openEntity: (other: string) => opened.push(other),
    openLineage: () => undefined,
    openInstance: () => undefined
  };
  const model = new EntityModel(new Catalog(server.settings), spoken?.feed ?? null, URN);
  panel = new EntityPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  await until(() => section() !== null && server.count('GET', SAID) > 0 && !model.state.busy);
}

function section(): HTMLElement | null {
  return document.querySelector('[aria-label="Schema"]');
}

function words(): string {
  return section()?.textContent ?? '';
}

function row(name: string): HTMLElement | null {
  return document.querySelector(`[data-column="${name}"]`);
}

function list(label: string): string[] {
  return [...document.querySelectorAll(`[aria-label="${label}"] li`)].map(one => one.textContent);
}

function press(name: string, within: ParentNode | null = section()): void {
  const all = [...(within?.querySelectorAll('button') ?? [])];
  all.find(one => one.textContent === name || one.getAttribute('aria-label') === name)?.click();
}

test('each column has its tags, properties and description beside it, what machines wrote apart', async () => {
  const email = said(
    'email',
    { tags: ['confidential', 'pii'], properties: { owner: 'ops', description: 'How to write to them' } },
    { tags: ['pii', 'guessed'], properties: { owner: 'nobody', unit: 'm' } }
  );
  await shown(serving(named('email', 'age')).on('GET', SAID, page([email])));
  await until(() => list('Tags of email').length > 0);
  expect(list('Tags of email')).toEqual(['confidential', 'pii']);
  expect(list('Tags of email by machines')).toEqual(['guessed']);
  const pairs = document.querySelector('[aria-label="Properties of email"]');
  expect([...(pairs?.children ?? [])].map(one => one.textContent)).toEqual(['ownerops', 'unitm']);
  expect(row('email')?.textContent).toContain('How to write to them');
  expect(list('Tags of age')).toEqual([]);
});

test('the page of a column is opened from its name, where something was said of it', async () => {
  await shown(serving(named('a', 'b')).on('GET', SAID, page([said('a', { tags: ['x'] })])));
  await until(() => list('Tags of a').length > 0);
  press('a', row('a'));
  press('b', row('b'));
  expect(opened).toEqual([column('staff', 'a')]);
});

test('a column that only somebody spoke of is shown as one, unless nothing is left of that', async () => {
  await shown(serving(named('a')).on('GET', SAID, page([said('gone', { tags: ['x'] }), said('silent')])));
  await until(() => row('gone') !== null);
  expect(row('gone')?.textContent).toContain('not in the schema');
  expect(row('silent')).toBeNull();
});

test('tags and terms that DataHub keeps in aspects of the table are shown too', async () => {
  const globalTags = { tags: [{ tag: 'urn:li:tag:Ingested' }] };
  const glossaryTerms = { terms: [{ urn: 'urn:li:glossaryTerm:Sensitive' }, 'no term'] };
  const fields = [{ fieldPath: 'a', nativeDataType: 'string', globalTags }, 'no field', { fieldPath: 7 }];
  const edits = [{ fieldPath: 'a', description: 'Said on a page', glossaryTerms }];
  await shown(serving(fields, edits).on('GET', SAID, page([])));
  expect(list('Tags of a')).toEqual(['Sensitive']);
  expect(list('Tags of a by machines')).toEqual(['Ingested']);
  expect(row('a')?.textContent).toContain('Said on a page');
});

test('every page is asked for, and of many columns the first are drawn', async () => {
  const names = Array.from({ length: 205 }, (_, at) => `c${at}`);
  const server = serving(named(...names)).on('GET', SAID, ({ query }) =>
    query.get('cursor') === null ? page([said('c0', { tags: ['one'] })], 'on') : page([said('c1', { tags: ['two'] })])
  );
  await shown(server);
  await until(() => list('Tags of c1').length > 0);
  expect([list('Tags of c0'), list('Tags of c1')]).toEqual([['one'], ['two']]);
  const drawn = (): number => document.querySelectorAll('[data-column]').length;
  expect(drawn()).toBe(200);
  expect(words()).toContain('200 of 205 columns');
  press('More');
  await until(() => drawn() === 205);
  expect(words()).not.toContain('205 columns');
});

test('a failure is told in the section, beside the columns, and asked again', async () => {
  const server = serving(named('a')).on('GET', SAID, problem(503, 'the store is away'));
  await shown(server);
  await until(() => section()?.querySelector('[role="alert"]') !== null);
  expect(words()).toContain('the store is away');
  expect(row('a')).not.toBeNull();
  server.on('GET', SAID, page([said('a', { tags: ['x'] })]));
  press('Try again');
  await until(() => list('Tags of a').length > 0);
  expect(section()?.querySelector('[role="alert"]')).toBeNull();
});

test('what people say of a column is edited in its row, also the first of it', async () => {
  const aspect = `entities/${column('staff', 'a')}/aspects/businessMetadata`;
  const server = serving(named('a', 'b'))
    .on('GET', SAID, page([]))
    .on('GET', aspect, problem(404, 'nothing was said'))
    .on('PUT', aspect, { body: {} });
  await shown(server);
  await until(() => row('a')?.querySelector('button') !== null);
  press('Edit: a');
  await until(() => document.querySelector('form input') !== null);
  const form = document.querySelector('[aria-label="Column a"] form');
  expect(document.querySelectorAll('form').length).toBe(1);
  await until(() => form?.contains(document.activeElement) === true);
  panel?.model.state.editor?.edit({ properties: {}, tags: ['confidential'] });
  server.on('GET', SAID, page([said('a', { tags: ['confidential'] })]));
  press('Save', form);
  await until(() => list('Tags of a').length > 0);
  const sent = server.seen.find(({ method }) => method === 'PUT');
  expect([sent?.path, sent?.body, sent?.headers.get('If-None-Match')]).toEqual([
    aspect,
    { properties: {}, tags: ['confidential'] },
    '*'
  ]);
  expect(document.querySelector('form')).toBeNull();
  await until(() => document.activeElement?.getAttribute('aria-label') === 'Edit: a');
});

test('who may only read is offered no form, and a table of which nothing was said no empty cells', async () => {
  await shown(serving(named('a'), [], ['read']).on('GET', SAID, page([])));
  expect([...document.querySelectorAll('[aria-label="Schema"] th')].map(one => one.textContent)).toEqual([
    'Column',
    'Type',
    'May be empty',
    'a'
  ]);
  expect(section()?.querySelector('button')).toBeNull();
});

test('what somebody says of a column is there without a reload', async () => {
  const spoken = new SpokenFeed();
  const server = serving(named('a')).on('GET', SAID, page([]));
  await shown(server, spoken);
  server.on('GET', SAID, page([said('a', { tags: ['new'] })]));
  spoken.tell('other', { urn: column('other', 'a'), type: 'schemaField' });
  spoken.tell('staff', { urn: column('staff', 'a'), type: 'schemaField' });
  await until(() => list('Tags of a').length > 0);
  expect(server.count('GET', SAID)).toBe(2);
});

test('people describe a column where nothing is there yet, and what others wrote meanwhile of other columns stays', async () => {
  const aspect = 'editableSchemaMetadata';
  const path = `entities/${URN}/aspects/${aspect}`;
  const stamp = { name: aspect, scope: 'USER', actor: 'bea', via: null, time: '' };
  let info: object[] = [];
  let version = 1;
  const server = serving(named('price', 'email'))
    .on('GET', SAID, page([]))
    .on('GET', path, () => ({ body: { ...stamp, version, value: { editableSchemaFieldInfo: info } } }))
    .on('PUT', path, ({ headers }) =>
      headers.get('If-Match') === `"${version}"`
        ? { body: { version: version + 1 } }
        : problem(412, 'somebody else was faster')
    );
  await shown(server);
  document.querySelector<HTMLButtonElement>('[aria-label="Describe email"]')?.click();
  await until(() => panel!.node.querySelector('.jp-Colophon-inRow textarea') !== null);
  const text = panel!.node.querySelector<HTMLTextAreaElement>('.jp-Colophon-inRow textarea')!;
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(text, 'Where to write to');
  text.dispatchEvent(new Event('input', { bubbles: true }));
  info = [{ fieldPath: 'price', description: 'In euro' }];
  version = 2;
  await panel!.model.state.editor?.save();
  expect(server.seen.filter(seen => seen.method === 'PUT').at(-1)?.body).toEqual({
    editableSchemaFieldInfo: [
      { fieldPath: 'price', description: 'In euro' },
      { fieldPath: 'email', description: 'Where to write to' }
    ]
  });
});

test('everything that describes an entity is shown with its source, references by their names', async () => {
  const server = serving(named('email')).on('GET', SAID, page([]));
  const entity = entityOf('staff', { properties: {}, tags: [] });
  const source = { source: URN, column: null, detail: '' };
  const term = 'urn:li:glossaryTerm:8f3a';
  entity.descriptors = [
    {
      ...source,
      kind: 'term',
      key: 'terms',
      text: '8f3a',
      name: 'Employee',
      urn: term,
      aspect: 'glossaryTerms',
      scope: 'SYSTEM'
    },
    {
      ...source,
      kind: 'property',
      key: 'refresh',
      text: 'daily',
      name: 'daily',
      urn: null,
      aspect: 'businessMetadata',
      scope: 'USER'
    }
  ];
  await shown(server.on('GET', `entities/${URN}`, { body: entity }));
  await until(() => document.querySelector('[aria-label="Values and their sources"]') !== null);
  const rows = [...document.querySelectorAll('[aria-label="Described by"] tbody tr')].map(one => one.textContent);
  expect(rows).toEqual(['Glossary termEmployeeglossaryTerms SYSTEM', 'refreshdailyWhat people wrote USER']);
  document.querySelector<HTMLButtonElement>(`[title="${term}"]`)?.click();
  expect(opened).toEqual([term]);
});
