import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Descriptor, FieldsMetadata } from '../../../src/generated/api';
import { EntityPanel } from '../../../src/panels/entity';
import { EntityModel } from '../../../src/panels/entity/model';
import { FakeFeed } from '../../support/feed';
import { column, entityOf, FakeServer, PEOPLE, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = table('staff');
const FIELD_METADATA = `entities/${URN}/fields/metadata`;

let panel: EntityPanel | null = null;
let opened: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

type ColumnMetadata = FieldsMetadata['fields'][number];
type Annotation = Partial<Pick<ColumnMetadata['USER'], 'properties' | 'tags'>>;

/** A descriptor of a column, with defaults. */
function descriptor(path: string, part: Partial<Descriptor> & { name: string }): Descriptor {
  const source = { aspect: 'businessMetadata', scope: 'USER' as const, source: column('staff', path), column: path };
  return { kind: 'tag', key: 'tags', text: part.name, urn: null, detail: '', ...source, ...part };
}

function descriptorsOf(
  path: string,
  { tags = [], properties = {} }: Annotation,
  source: Partial<Descriptor>
): Descriptor[] {
  const pairs = Object.entries(properties).map(([key, name]) =>
    descriptor(path, { kind: key === 'description' ? 'description' : 'property', key, name, ...source })
  );
  return [...tags.map(name => descriptor(path, { name, ...source })), ...pairs];
}

/** The metadata of a column in the format of the server: by scope, and as descriptors. */
function annotated(
  name: string,
  user: Annotation = {},
  system: Annotation = {},
  more: Descriptor[] = []
): ColumnMetadata {
  const nothing = { properties: {}, tags: [], version: 1 };
  const scopes = { USER: { ...nothing, ...user }, SYSTEM: { ...nothing, ...system } };
  const descriptors = [
    ...descriptorsOf(name, user, {}),
    ...descriptorsOf(name, system, { aspect: 'technicalMetadata', scope: 'SYSTEM' }),
    ...more
  ];
  return { name, urn: column('staff', name), ...scopes, descriptors };
}

function page(fields: ColumnMetadata[], cursor: string | null = null): { body: FieldsMetadata } {
  return { body: { urn: URN, fields, cursor } };
}

/** A table with these columns, and with metadata as written by DataHub. */
function serving(fields: unknown[], edits: object[] = [], scopes = ['read', 'annotate']): FakeServer {
  const entity = entityOf('staff', { properties: {}, tags: [] });
  const messages = { scope: 'SYSTEM' as const, version: 1, actor: 'ada', via: null, time: '' };
  entity.aspects['schemaMetadata'] = { ...messages, name: 'schemaMetadata', value: { fields } };
  entity.aspects['editableSchemaMetadata'] = {
    ...messages,
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

async function shown(server: FakeServer, fakeFeed: FakeFeed | null = null): Promise<void> {
  opened = [];
  const actions = {
    openEntity: (other: string) => opened.push(other),
    openLineage: () => undefined,
    openInstance: () => undefined,
    openCell: () => undefined
  };
  const model = new EntityModel(new Catalog(server.settings), fakeFeed?.feed ?? null, URN);
  panel = new EntityPanel(model, actions, { editors: null, renderers: null }, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  await waitUntil(() => section() !== null && server.count('GET', FIELD_METADATA) > 0 && !model.state.busy);
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

/** Returns the chips of a column with their sources. */
function chips(path: string): string[] {
  const all = document.querySelectorAll<HTMLElement>(`[aria-label="Tags and terms of ${path}"] li`);
  return [...all].map(chip => `${chip.firstChild?.textContent} ${chip.dataset['scope']}`);
}

function press(name: string, within: ParentNode | null = section()): void {
  const all = [...(within?.querySelectorAll('button') ?? [])];
  all.find(item => item.textContent === name || item.getAttribute('aria-label') === name)?.click();
}

test('each value of a column is shown once with its sources', async () => {
  const email = annotated(
    'email',
    { tags: ['confidential', 'pii'], properties: { owner: 'ops', description: 'How to write to them' } },
    { tags: ['pii', 'guessed'], properties: { owner: 'nobody', unit: 'm', description: 'varchar(80)' } }
  );
  await shown(serving(named('email', 'age')).on('GET', FIELD_METADATA, page([email])));
  await waitUntil(() => chips('email').length > 0);
  expect(chips('email')).toEqual(['confidential USER', 'pii USER', 'guessed SYSTEM']);
  const titles = [...document.querySelectorAll('[aria-label="Tags and terms of email"] li > [title]')].map(item =>
    item.getAttribute('title')
  );
  expect(titles).toEqual([
    'Tag, User metadata (USER)',
    'Tag, User metadata (USER), technicalMetadata (SYSTEM)',
    'Tag, technicalMetadata (SYSTEM)'
  ]);
  const texts = [...document.querySelectorAll('[aria-label="Tags and terms of email"] li')].map(
    item => item.textContent
  );
  expect(texts[2]).toBe('guessed Tag, technicalMetadata (SYSTEM)');
  const pairs = document.querySelectorAll('[aria-label="Properties of email"] > div');
  expect([...pairs].map(item => [...item.children].map(part => part.textContent))).toEqual([
    ['owner', 'ops', 'USERUser metadata (USER)'],
    ['owner', 'nobody', 'SYSTEMtechnicalMetadata (SYSTEM)'],
    ['unit', 'm', 'SYSTEMtechnicalMetadata (SYSTEM)']
  ]);
  expect(row('email')?.textContent).toContain('How to write to them USERUser metadata (USER)');
  expect(row('email')?.textContent).toContain('varchar(80) SYSTEMtechnicalMetadata (SYSTEM)');
  expect(chips('age')).toEqual([]);
});

test('a column with metadata links to its page', async () => {
  await shown(serving(named('a', 'b')).on('GET', FIELD_METADATA, page([annotated('a', { tags: ['x'] })])));
  await waitUntil(() => chips('a').length > 0);
  press('a', row('a'));
  press('b', row('b'));
  expect(opened).toEqual([column('staff', 'a')]);
});

test('columns outside the schema are shown while they have metadata', async () => {
  await shown(
    serving(named('a')).on('GET', FIELD_METADATA, page([annotated('gone', { tags: ['x'] }), annotated('silent')]))
  );
  await waitUntil(() => row('gone') !== null);
  expect(row('gone')?.textContent).toContain('not in the schema');
  expect(row('silent')).toBeNull();
});

test('values in aspects of the table are shown with their sources', async () => {
  const term = 'urn:li:glossaryTerm:8f3a';
  const more = [
    descriptor('a', {
      name: 'Ingested',
      urn: 'urn:li:tag:Ingested',
      aspect: 'schemaMetadata',
      scope: 'SYSTEM',
      source: URN
    }),
    descriptor('a', {
      kind: 'term',
      key: 'terms',
      name: 'Sensitive',
      urn: term,
      aspect: 'editableSchemaMetadata',
      source: URN
    })
  ];
  const fields = [
    { fieldPath: '[version=2.0].[type=string].a', nativeDataType: 'string' },
    'no field',
    { fieldPath: 7 }
  ];
  await shown(serving(fields).on('GET', FIELD_METADATA, page([annotated('a', {}, {}, more)])));
  await waitUntil(() => chips('a').length > 0);
  expect(chips('a')).toEqual(['Sensitive USER', 'Ingested SYSTEM']);
  expect(document.querySelectorAll('[data-column]').length).toBe(1);
  press('Sensitive', row('a'));
  expect(opened).toEqual([term]);
});

test('descriptors of the table are shown while columns load', async () => {
  const server = serving(named('a')).on('GET', FIELD_METADATA, problem(503, 'the store is unavailable'));
  const entity = entityOf('staff', { properties: {}, tags: [] });
  entity.descriptors = [descriptor('b', { name: 'Ingested', aspect: 'schemaMetadata', scope: 'SYSTEM', source: URN })];
  await shown(server.on('GET', `entities/${URN}`, { body: entity }));
  await waitUntil(() => chips('b').length > 0);
  expect(chips('b')).toEqual(['Ingested SYSTEM']);
});

test('all pages are loaded and the first columns rendered', async () => {
  const names = Array.from({ length: 205 }, (_, at) => `c${at}`);
  const server = serving(named(...names)).on('GET', FIELD_METADATA, ({ query }) =>
    query.get('cursor') === null
      ? page([annotated('c0', { tags: ['one'] })], 'on')
      : page([annotated('c1', { tags: ['two'] })])
  );
  await shown(server);
  await waitUntil(() => chips('c1').length > 0);
  expect([chips('c0'), chips('c1')]).toEqual([['one USER'], ['two USER']]);
  const drawn = (): number => document.querySelectorAll('[data-column]').length;
  expect(drawn()).toBe(200);
  expect(words()).toContain('200 of 205 columns');
  press('More');
  await waitUntil(() => drawn() === 205);
  expect(words()).not.toContain('205 columns');
});

test('a failure is shown in the section and can be retried', async () => {
  const server = serving(named('a')).on('GET', FIELD_METADATA, problem(503, 'the store is away'));
  await shown(server);
  await waitUntil(() => section()?.querySelector('[role="alert"]') !== null);
  expect(words()).toContain('the store is away');
  expect(row('a')).not.toBeNull();
  server.on('GET', FIELD_METADATA, page([annotated('a', { tags: ['x'] })]));
  press('Try again');
  await waitUntil(() => chips('a').length > 0);
  expect(section()?.querySelector('[role="alert"]')).toBeNull();
});

test('column metadata is edited in its row', async () => {
  const aspect = `entities/${column('staff', 'a')}/aspects/businessMetadata`;
  const server = serving(named('a', 'b'))
    .on('GET', FIELD_METADATA, page([]))
    .on('GET', aspect, problem(404, 'nothing was said'))
    .on('PUT', aspect, { body: {} });
  await shown(server);
  await waitUntil(() => row('a')?.querySelector('button') !== null);
  press('Edit: a');
  await waitUntil(() => document.querySelector('form input') !== null);
  const form = document.querySelector('[aria-label="Column a"] form');
  expect(document.querySelectorAll('form').length).toBe(1);
  await waitUntil(() => form?.contains(document.activeElement) === true);
  panel?.model.state.editor?.edit({ properties: {}, tags: ['confidential'] });
  server.on('GET', FIELD_METADATA, page([annotated('a', { tags: ['confidential'] })]));
  press('Save', form);
  await waitUntil(() => chips('a').length > 0);
  const sent = server.seen.find(({ method }) => method === 'PUT');
  expect([sent?.path, sent?.body, sent?.headers.get('If-None-Match')]).toEqual([
    aspect,
    { properties: {}, tags: ['confidential'] },
    '*'
  ]);
  expect(document.querySelector('form')).toBeNull();
  await waitUntil(() => document.activeElement?.getAttribute('aria-label') === 'Edit: a');
});

test('readers see neither edit buttons nor empty cells', async () => {
  await shown(serving(named('a'), [], ['read']).on('GET', FIELD_METADATA, page([])));
  expect([...document.querySelectorAll('[aria-label="Schema"] th')].map(item => item.textContent)).toEqual([
    'Column',
    'Type',
    'Nullable',
    'a'
  ]);
  expect(section()?.querySelector('button')).toBeNull();
});

test('column metadata of others appears without reload', async () => {
  const fakeFeed = new FakeFeed();
  const server = serving(named('a')).on('GET', FIELD_METADATA, page([]));
  await shown(server, fakeFeed);
  server.on('GET', FIELD_METADATA, page([annotated('a', { tags: ['new'] })]));
  fakeFeed.emit('other', { urn: column('other', 'a'), type: 'schemaField' });
  fakeFeed.emit('staff', { urn: column('staff', 'a'), type: 'schemaField' });
  await waitUntil(() => chips('a').length > 0);
  expect(server.count('GET', FIELD_METADATA)).toBe(2);
});

test('describing a column keeps descriptions of other columns', async () => {
  const aspect = 'editableSchemaMetadata';
  const path = `entities/${URN}/aspects/${aspect}`;
  const stamp = { name: aspect, scope: 'USER', actor: 'bea', via: null, time: '' };
  let info: object[] = [];
  let version = 1;
  const server = serving(named('price', 'email'))
    .on('GET', FIELD_METADATA, page([]))
    .on('GET', path, () => ({ body: { ...stamp, version, value: { editableSchemaFieldInfo: info } } }))
    .on('PUT', path, ({ headers }) =>
      headers.get('If-Match') === `"${version}"`
        ? { body: { version: version + 1 } }
        : problem(412, 'somebody else was faster')
    );
  await shown(server);
  document.querySelector<HTMLButtonElement>('[aria-label="Describe email"]')?.click();
  await waitUntil(() => panel!.node.querySelector('.jp-Colophon-inRow textarea') !== null);
  const text = panel!.node.querySelector<HTMLTextAreaElement>('.jp-Colophon-inRow textarea')!;
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(text, 'Where to write to');
  text.dispatchEvent(new Event('input', { bubbles: true }));
  info = [{ fieldPath: 'price', description: 'In euro' }];
  version = 2;
  await panel!.model.state.editor?.save();
  expect(server.seen.filter(request => request.method === 'PUT').at(-1)?.body).toEqual({
    editableSchemaFieldInfo: [
      { fieldPath: 'price', description: 'In euro' },
      { fieldPath: 'email', description: 'Where to write to' }
    ]
  });
});

function specOf(name: string, part: Partial<typeof PEOPLE>): typeof PEOPLE {
  return { ...PEOPLE, name, title: name, scope: 'SYSTEM', editableByDefault: false, ...part };
}

const STAMP = { $ref: '#/$defs/com.linkedin.common.AuditStamp' };

/** A table with metadata of DataHub clients, in the format of the server. */
function describedTable(): FakeServer {
  const entity = entityOf('staff', { properties: { refresh: 'daily' }, tags: [] });
  const messages = { scope: 'SYSTEM' as const, version: 1, actor: 'ada', via: null, time: '' };
  const term = 'urn:li:glossaryTerm:8f3a';
  const values = {
    glossaryTerms: { terms: [{ urn: term }], auditStamp: { time: 0 } },
    domains: { domains: [] },
    datasetProperties: { description: 'All staff', uri: 'hr://staff' },
    upstreamLineage: { upstreams: [{ dataset: 'x' }] }
  };
  for (const [name, value] of Object.entries(values)) {
    entity.aspects[name] = { ...messages, name, value };
  }
  entity.aspects['institutionalMemory'] = {
    ...messages,
    name: 'institutionalMemory',
    scope: 'USER',
    value: { elements: [{ url: 'https://wiki.test' }] }
  };
  const source = { scope: 'SYSTEM' as const, source: URN, column: null };
  entity.descriptors = [
    descriptor('', {
      ...source,
      scope: 'USER',
      kind: 'link',
      key: 'link',
      name: 'https://wiki.test',
      aspect: 'institutionalMemory'
    }),
    descriptor('', { ...source, kind: 'term', key: 'terms', name: 'Employee', urn: term, aspect: 'glossaryTerms' }),
    descriptor('', {
      ...source,
      kind: 'description',
      key: 'description',
      name: 'All staff',
      aspect: 'datasetProperties'
    }),
    descriptor('', { ...source, scope: 'USER', kind: 'property', key: 'refresh', name: 'daily' })
  ];
  const aspects = [
    PEOPLE,
    specOf('glossaryTerms', { described: ['terms'], schema: { properties: { terms: {}, auditStamp: STAMP } } }),
    specOf('domains', { described: ['domains'] }),
    specOf('datasetProperties', { described: ['description'], schema: { properties: { description: {}, uri: {} } } }),
    specOf('institutionalMemory', { scope: 'USER', described: ['elements'], title: 'Links' }),
    specOf('upstreamLineage', { described: [] })
  ];
  return serving(named('email'))
    .on('GET', FIELD_METADATA, page([]))
    .on('GET', `entities/${URN}`, { body: entity })
    .on('GET', 'registry/dataset', { body: { type: 'dataset', title: 'T', keyAspect: 'k', aspects } });
}

function card(aspect: string): HTMLElement | null {
  return document.querySelector(`[data-aspect="${aspect}"]`);
}

test('descriptors are listed with their sources and names', async () => {
  await shown(describedTable());
  await waitUntil(() => document.querySelector('[aria-label="Values and their sources"]') !== null);
  const rows = [...document.querySelectorAll('[aria-label="Described by"] tbody tr')].map(item => item.textContent);
  expect(rows).toEqual([
    'Linkhttps://wiki.testLinks USER',
    'Glossary termEmployeeglossaryTerms SYSTEM',
    'DescriptionAll staffdatasetProperties SYSTEM'
  ]);
  document.querySelector<HTMLButtonElement>('[title="urn:li:glossaryTerm:8f3a"]')?.click();
  expect(opened).toEqual(['urn:li:glossaryTerm:8f3a']);
});

test('an aspect listed as descriptors shows its JSON on request', async () => {
  await shown(describedTable());
  await waitUntil(() => card('datasetProperties') !== null);
  const json = document.querySelector<HTMLDetailsElement>('[data-aspect-json="glossaryTerms"]')!;
  expect([json.open, json.querySelector('summary')!.getAttribute('aria-label')]).toEqual([
    false,
    'Show JSON of glossaryTerms'
  ]);
  expect(JSON.parse(json.querySelector('pre')!.textContent)).toHaveProperty('auditStamp');
  expect(card('glossaryTerms')).toBeNull();
  const shape = ['institutionalMemory', 'datasetProperties', 'upstreamLineage'].map(aspect => [
    document.querySelectorAll(`[data-aspect="${aspect}"] details:not([open])`).length,
    [...document.querySelectorAll(`[data-aspect="${aspect}"] th`)].map(item => item.textContent)
  ]);
  expect(shape).toEqual([
    [1, []],
    [1, ['uri']],
    [0, ['upstreams']]
  ]);
});
