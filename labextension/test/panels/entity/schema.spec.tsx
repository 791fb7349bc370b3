import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Descriptor, FieldsMetadata } from '../../../src/generated/api';
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

type ColumnMetadata = FieldsMetadata['fields'][number];
type Annotation = Partial<Pick<ColumnMetadata['USER'], 'properties' | 'tags'>>;

/** A descriptor of a column of the table, with defaults for what a test does not look at. */
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

/** The metadata of a column as the server answers it: by scope, and as descriptors. */
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
  panel = new EntityPanel(model, actions, { editors: null, renderers: null }, nullTranslator.load(''));
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

/** The chips of a column: what is seen of each, and who wrote it. */
function chips(path: string): string[] {
  const all = document.querySelectorAll<HTMLElement>(`[aria-label="Tags and terms of ${path}"] li`);
  return [...all].map(chip => `${chip.firstChild?.textContent} ${chip.dataset['scope']}`);
}

function press(name: string, within: ParentNode | null = section()): void {
  const all = [...(within?.querySelectorAll('button') ?? [])];
  all.find(one => one.textContent === name || one.getAttribute('aria-label') === name)?.click();
}

test('each value of a column is shown once, with all aspects and scopes that have it', async () => {
  const email = annotated(
    'email',
    { tags: ['confidential', 'pii'], properties: { owner: 'ops', description: 'How to write to them' } },
    { tags: ['pii', 'guessed'], properties: { owner: 'nobody', unit: 'm', description: 'varchar(80)' } }
  );
  await shown(serving(named('email', 'age')).on('GET', SAID, page([email])));
  await until(() => chips('email').length > 0);
  expect(chips('email')).toEqual(['confidential USER', 'pii USER', 'guessed SYSTEM']);
  const titles = [...document.querySelectorAll('[aria-label="Tags and terms of email"] li > [title]')].map(one =>
    one.getAttribute('title')
  );
  expect(titles).toEqual([
    'Tag, User metadata (USER)',
    'Tag, User metadata (USER), technicalMetadata (SYSTEM)',
    'Tag, technicalMetadata (SYSTEM)'
  ]);
  const texts = [...document.querySelectorAll('[aria-label="Tags and terms of email"] li')].map(one => one.textContent);
  expect(texts[2]).toBe('guessed Tag, technicalMetadata (SYSTEM)');
  const pairs = document.querySelectorAll('[aria-label="Properties of email"] > div');
  expect([...pairs].map(one => [...one.children].map(part => part.textContent))).toEqual([
    ['owner', 'ops', 'USERUser metadata (USER)'],
    ['owner', 'nobody', 'SYSTEMtechnicalMetadata (SYSTEM)'],
    ['unit', 'm', 'SYSTEMtechnicalMetadata (SYSTEM)']
  ]);
  expect(row('email')?.textContent).toContain('How to write to them USERUser metadata (USER)');
  expect(row('email')?.textContent).toContain('varchar(80) SYSTEMtechnicalMetadata (SYSTEM)');
  expect(chips('age')).toEqual([]);
});

test('the page of a column is opened from its name, where something was said of it', async () => {
  await shown(serving(named('a', 'b')).on('GET', SAID, page([annotated('a', { tags: ['x'] })])));
  await until(() => chips('a').length > 0);
  press('a', row('a'));
  press('b', row('b'));
  expect(opened).toEqual([column('staff', 'a')]);
});

test('a column that only somebody spoke of is shown as one, unless nothing is left of that', async () => {
  await shown(serving(named('a')).on('GET', SAID, page([annotated('gone', { tags: ['x'] }), annotated('silent')])));
  await until(() => row('gone') !== null);
  expect(row('gone')?.textContent).toContain('not in the schema');
  expect(row('silent')).toBeNull();
});

test('values that other clients store in aspects of the table are shown with their source, terms by their names', async () => {
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
  await shown(serving(fields).on('GET', SAID, page([annotated('a', {}, {}, more)])));
  await until(() => chips('a').length > 0);
  expect(chips('a')).toEqual(['Sensitive USER', 'Ingested SYSTEM']);
  expect(document.querySelectorAll('[data-column]').length).toBe(1);
  press('Sensitive', row('a'));
  expect(opened).toEqual([term]);
});

test('until the metadata of columns is there, descriptors of the table are shown', async () => {
  const server = serving(named('a')).on('GET', SAID, problem(503, 'the store is unavailable'));
  const entity = entityOf('staff', { properties: {}, tags: [] });
  entity.descriptors = [descriptor('b', { name: 'Ingested', aspect: 'schemaMetadata', scope: 'SYSTEM', source: URN })];
  await shown(server.on('GET', `entities/${URN}`, { body: entity }));
  await until(() => chips('b').length > 0);
  expect(chips('b')).toEqual(['Ingested SYSTEM']);
});

test('every page is asked for, and of many columns the first are drawn', async () => {
  const names = Array.from({ length: 205 }, (_, at) => `c${at}`);
  const server = serving(named(...names)).on('GET', SAID, ({ query }) =>
    query.get('cursor') === null
      ? page([annotated('c0', { tags: ['one'] })], 'on')
      : page([annotated('c1', { tags: ['two'] })])
  );
  await shown(server);
  await until(() => chips('c1').length > 0);
  expect([chips('c0'), chips('c1')]).toEqual([['one USER'], ['two USER']]);
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
  server.on('GET', SAID, page([annotated('a', { tags: ['x'] })]));
  press('Try again');
  await until(() => chips('a').length > 0);
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
  server.on('GET', SAID, page([annotated('a', { tags: ['confidential'] })]));
  press('Save', form);
  await until(() => chips('a').length > 0);
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
  server.on('GET', SAID, page([annotated('a', { tags: ['new'] })]));
  spoken.tell('other', { urn: column('other', 'a'), type: 'schemaField' });
  spoken.tell('staff', { urn: column('staff', 'a'), type: 'schemaField' });
  await until(() => chips('a').length > 0);
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

function specOf(name: string, part: Partial<typeof PEOPLE>): typeof PEOPLE {
  return { ...PEOPLE, name, title: name, scope: 'SYSTEM', editableByDefault: false, ...part };
}

const STAMP = { $ref: '#/$defs/com.linkedin.common.AuditStamp' };

/** A table that DataHub's clients described, as the server answers it. */
function describedTable(): FakeServer {
  const entity = entityOf('staff', { properties: { refresh: 'daily' }, tags: [] });
  const said = { scope: 'SYSTEM' as const, version: 1, actor: 'ada', via: null, time: '' };
  const term = 'urn:li:glossaryTerm:8f3a';
  const values = {
    glossaryTerms: { terms: [{ urn: term }], auditStamp: { time: 0 } },
    domains: { domains: [] },
    datasetProperties: { description: 'All staff', uri: 'hr://staff' },
    upstreamLineage: { upstreams: [{ dataset: 'x' }] }
  };
  for (const [name, value] of Object.entries(values)) {
    entity.aspects[name] = { ...said, name, value };
  }
  entity.aspects['institutionalMemory'] = {
    ...said,
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
    .on('GET', SAID, page([]))
    .on('GET', `entities/${URN}`, { body: entity })
    .on('GET', 'registry/dataset', { body: { type: 'dataset', title: 'T', keyAspect: 'k', aspects } });
}

function card(aspect: string): HTMLElement | null {
  return document.querySelector(`[data-aspect="${aspect}"]`);
}

test('descriptors without a card of their own are listed with their source, references by their names', async () => {
  await shown(describedTable());
  await until(() => document.querySelector('[aria-label="Values and their sources"]') !== null);
  const rows = [...document.querySelectorAll('[aria-label="Described by"] tbody tr')].map(one => one.textContent);
  expect(rows).toEqual([
    'Linkhttps://wiki.testLinks USER',
    'Glossary termEmployeeglossaryTerms SYSTEM',
    'DescriptionAll staffdatasetProperties SYSTEM'
  ]);
  document.querySelector<HTMLButtonElement>('[title="urn:li:glossaryTerm:8f3a"]')?.click();
  expect(opened).toEqual(['urn:li:glossaryTerm:8f3a']);
});

test('an aspect whose values are listed as descriptors shows its JSON only on request, and only the rest beside it', async () => {
  await shown(describedTable());
  await until(() => card('datasetProperties') !== null);
  const json = document.querySelector<HTMLDetailsElement>('[data-aspect-json="glossaryTerms"]')!;
  expect([json.open, json.querySelector('summary')!.getAttribute('aria-label')]).toEqual([
    false,
    'Show JSON of glossaryTerms'
  ]);
  expect(JSON.parse(json.querySelector('pre')!.textContent)).toHaveProperty('auditStamp');
  expect(card('glossaryTerms')).toBeNull();
  const shape = ['institutionalMemory', 'datasetProperties', 'upstreamLineage'].map(aspect => [
    document.querySelectorAll(`[data-aspect="${aspect}"] details:not([open])`).length,
    [...document.querySelectorAll(`[data-aspect="${aspect}"] th`)].map(one => one.textContent)
  ]);
  expect(shape).toEqual([
    [1, []],
    [1, ['uri']],
    [0, ['upstreams']]
  ]);
});
