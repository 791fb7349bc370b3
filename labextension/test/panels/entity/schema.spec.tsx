import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import type { Descriptor, FieldsMetadata } from '../../../src/generated/api';
import type { EntityPanel } from '../../../src/panels/entity';
import { createEntityPage } from '../../support/entity-page';
import { FakeFeed } from '../../support/feed';
import { column, entityOf, FakeServer, PEOPLE, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = table('staff');
const FIELD_METADATA = `entities/${URN}/fields/metadata`;

let panel: EntityPanel | null = null;
let opened: string[] = [];
let impacts: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

/** The aspect with the schema. */
const SCHEMA = { ...PEOPLE, name: 'schemaMetadata', title: 'Schema', scope: 'SYSTEM', schema: { type: 'object' } };

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
  impacts = [];
  const feed = fakeFeed?.feed;
  panel = createEntityPage(server, URN, {
    tab: 'columns',
    open: other => opened.push(other),
    showImpact: urn => impacts.push(urn),
    ...(feed ? { feed } : {})
  });
  const { model } = panel;
  Widget.attach(panel, document.body);
  await waitUntil(() => section() !== null && server.count('GET', FIELD_METADATA) > 0 && !model.state.busy);
}

function section(): HTMLElement | null {
  return document.querySelector('section[aria-label="Columns"]');
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
  const titles = [...document.querySelectorAll('[aria-label="Tags and terms of email"] li[title]')].map(item =>
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
  expect(texts[2]).toContain('guessed Tag, technicalMetadata (SYSTEM)');
  const pairs = document.querySelectorAll('[aria-label="Properties of email"] > div');
  expect([...pairs].map(item => [...item.children].map(part => part.textContent))).toEqual([
    ['owner', 'ops', 'USERUser metadata (USER)'],
    ['owner', 'nobody', 'SYSTEMtechnicalMetadata (SYSTEM)'],
    ['unit', 'm', 'SYSTEMtechnicalMetadata (SYSTEM)']
  ]);
  expect(row('email')?.textContent).toContain('How to write to them');
  expect(row('email')?.querySelector('[title="Description, technicalMetadata (SYSTEM)"]')?.textContent).toBe(
    'varchar(80)'
  );
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

test('all pages are loaded, and only visible columns are rendered', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `c${at}`);
  const server = serving(named(...names)).on('GET', FIELD_METADATA, ({ query }) =>
    query.get('cursor') === null
      ? page([annotated('c0', { tags: ['one'] })], 'on')
      : page([annotated('c1', { tags: ['two'] })])
  );
  await shown(server);
  await waitUntil(() => chips('c1').length > 0);
  expect([chips('c0'), chips('c1')]).toEqual([['one USER'], ['two USER']]);
  expect(document.querySelectorAll('[data-column]').length).toBeLessThan(100);
  expect(document.querySelector('table')?.getAttribute('aria-rowcount')).toBe('5001');
  expect(words()).toContain('5000 columns');
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
  await waitUntil(() => document.querySelector('form .jp-Colophon-tag-input input') !== null);
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
  expect([...document.querySelectorAll('section[aria-label="Columns"] th')].map(item => item.textContent)).toEqual([
    'Column ',
    'Type ',
    'Actions',
    'a'
  ]);
  expect([...section()!.querySelectorAll('tbody button')].map(item => item.getAttribute('aria-label'))).toEqual([
    'Impact: a'
  ]);
});

test('the impact of a column is shown from its row', async () => {
  await shown(serving(named('a'), [], ['read']).on('GET', FIELD_METADATA, page([])));
  press('Impact: a');
  expect(impacts).toEqual([column('staff', 'a')]);
});

test('a column is renamed in the schema, and removed from it, after its dialog', async () => {
  const path = `entities/${URN}/aspects/schemaMetadata`;
  const server = serving(named('a', 'b'), [], ['read', 'annotate', 'emit'])
    .on('GET', FIELD_METADATA, page([]))
    .on('GET', 'registry/dataset', { body: { type: 'dataset', title: 'T', keyAspect: 'k', aspects: [SCHEMA] } })
    .on('PUT', path, { body: { urn: URN, aspect: 'schemaMetadata', version: 2, seq: 1, changed: true } });
  await shown(server);
  const choose = async (item: string): Promise<unknown> => {
    const count = server.count('PUT', path);
    press('Change the schema: a');
    await waitUntil(() => document.querySelector('[role="menuitem"]') !== null);
    press(item);
    await waitUntil(() => server.count('PUT', path) > count);
    return server.seen.filter(({ method }) => method === 'PUT').at(-1)?.body;
  };
  expect(await choose('Rename…')).toEqual({ fields: named('renamed', 'b') });
  await waitUntil(() => panel?.model.state.editor === null && !panel.model.state.busy);
  expect(await choose('Remove from the schema…')).toEqual({ fields: named('b') });
});

test('values of a confidential column are not shown, and the reason is', async () => {
  const columns = [
    { fieldPath: 'a', nullProportion: 0, uniqueCount: 7 },
    { fieldPath: 'b', nullProportion: 0, uniqueCount: 7, min: '1', max: '9' }
  ];
  const value = { time: '', recorded: '', actor: '', withheld: ['a'], value: { fieldProfiles: columns } };
  await shown(
    serving(named('a', 'b'), [], ['read'])
      .on('GET', FIELD_METADATA, page([]))
      .on('GET', `entities/${URN}/aspects/datasetProfile/values`, { body: { values: [value], truncated: false } })
  );
  await waitUntil(() => words().includes('Statistics'));
  press('Statistics');
  await waitUntil(() => row('b')?.textContent?.includes('19') === true);
  expect(row('a')?.textContent).toContain('not shown: confidential');
  expect(row('b')?.textContent).not.toContain('confidential');
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
  press('Describe', row('email'));
  const input = 'input[aria-label="Description of email"]';
  await waitUntil(() => panel!.node.querySelector(input) !== null);
  const text = panel!.node.querySelector<HTMLInputElement>(input)!;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(text, 'Where to write to');
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

test('terms and links are listed with their sources and names', async () => {
  await shown(describedTable());
  panel?.model.selectTab('overview');
  await waitUntil(() => document.querySelector('[aria-label="About"] [data-kind="term"]') !== null);
  const texts = ['term', 'link'].map(
    kind => document.querySelector(`[aria-label="About"] [data-kind="${kind}"]`)?.textContent
  );
  expect(texts).toEqual(['Glossary termEmployee', 'Linkhttps://wiki.test']);
  expect(document.querySelector('[aria-label="Description"]')?.textContent).toContain(
    'From datasetPropertiesAll staff'
  );
  document.querySelector<HTMLButtonElement>('[data-kind="term"] .jp-Colophon-link')?.click();
  expect(opened).toEqual(['urn:li:glossaryTerm:8f3a']);
});

test('recorded metadata is folded, without what people set, and shown as JSON on a tab of its own', async () => {
  await shown(describedTable());
  panel?.model.selectTab('overview');
  await waitUntil(() => document.querySelector('details[data-aspect="upstreamLineage"]') !== null);
  expect(document.querySelectorAll('details[data-aspect][open]').length).toBe(0);
  expect(document.querySelector('details[data-aspect="glossaryTerms"]')).toBeNull();
  const terms = [...document.querySelectorAll('details[data-aspect="datasetProperties"] dt')];
  expect(terms.map(item => item.textContent)).toEqual(['description', 'uri']);
  panel?.model.selectTab('raw');
  await waitUntil(() => document.querySelector('[data-aspect-json="glossaryTerms"]') !== null);
  const json = document.querySelector('[data-aspect-json="glossaryTerms"] pre');
  expect(JSON.parse(json?.textContent ?? '')).toHaveProperty('auditStamp');
});
