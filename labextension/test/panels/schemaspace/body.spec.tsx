import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { SchemaspacesPanel } from '../../../src/panels/schemaspace';
import type { ISchemaspaceActions } from '../../../src/panels/schemaspace/actions';
import { SchemaspacesModel } from '../../../src/panels/schemaspace/model';
import { pageOf, rowOf, SPACES } from '../../support/instances';
import { FakeServer } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const LIST = 'schemaspaces/code-snippets/instances';
const ROWS = [
  rowOf('alpha'),
  rowOf('beta', { valid: false, reason: 'ValidationError', problem: "'code' is a required property" }),
  rowOf('gamma', { valid: false, reason: 'ValueError', display_name: '', language: null, schema_name: '{unknown}' }),
  rowOf('delta', { deletable: false })
];

let open: SchemaspacesPanel | null = null;
let done: string[] = [];

afterEach(() => {
  open?.dispose();
  open = null;
});

function note(what: string): (space: string | { name: string }, row?: unknown) => void {
  return (space, row) => {
    const name = typeof row === 'object' && row !== null && 'name' in row ? String(row.name) : '';
    done.push([what, typeof space === 'string' ? space : space.name, name].join(' ').trim());
  };
}

async function panel(server: FakeServer): Promise<SchemaspacesModel> {
  done = [];
  const actions: ISchemaspaceActions = {
    edit: note('edit'),
    remove: note('remove'),
    insert: note('insert'),
    create: note('create'),
    importInto: note('import'),
    exportFrom: note('export'),
    refreshSpace: note('reload'),
    getCachedCode: () => null,
    fetchCode: note('fetch')
  };
  const model = new SchemaspacesModel(new Schemaspaces(server.settings), null);
  open = new SchemaspacesPanel(model, actions, nullTranslator.load(''));
  Widget.attach(open, document.body);
  await waitUntil(() => document.querySelector('[role="status"]')?.textContent?.includes('instance') === true);
  return model;
}

function serving(rows = ROWS): FakeServer {
  return new FakeServer()
    .on('GET', 'schemaspaces', { body: SPACES })
    .on('GET', LIST, { body: { ...pageOf(rows), tags: [{ name: 'pandas', count: 3 }] } });
}

function button(name: string): HTMLButtonElement {
  const result = [...document.querySelectorAll('button')].find(
    item => (item.getAttribute('aria-label') ?? item.textContent)?.trim().startsWith(name) === true
  );
  if (!result) {
    throw new Error(`no button ${name}`);
  }
  return result;
}

function key(name: string): void {
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
}

function focused(): string {
  const at = document.activeElement;
  return at?.getAttribute('aria-label') ?? at?.querySelector('.jp-Colophon-name')?.textContent ?? '';
}

test('a section lists instances with their errors', async () => {
  await panel(serving());
  const rows = [...document.querySelectorAll('[role="row"]')].map(row => row.textContent ?? '');
  expect(rows.length).toBe(4);
  expect(rows[0]).toContain('ALPHA');
  expect(rows[1]).toContain("Invalid: 'code' is a required property");
  expect(rows[2]).toContain('gamma');
  expect(rows[2]).toContain('Invalid: unreadable');
  expect(document.querySelector('[role="status"]')?.textContent).toBe('4 instances');
});

test('only visible rows are rendered', async () => {
  const rows = Array.from({ length: 200 }, (_, index) => rowOf(`s${index}`));
  await panel(serving(rows).on('GET', LIST, { body: pageOf(rows, 5000, 'next') }));
  expect(document.querySelector('[role="grid"]')?.getAttribute('aria-rowcount')).toBe('5000');
  expect(document.querySelectorAll('[role="row"]').length).toBeLessThan(40);
});

test('arrow keys navigate rows and buttons, one is a tab stop', async () => {
  await panel(serving());
  expect(document.querySelectorAll('[role="grid"] [tabindex="0"]').length).toBe(1);
  button('ALPHA').focus();
  key('ArrowDown');
  await waitUntil(() => focused() === 'BETA');
  key('End');
  await waitUntil(() => focused() === 'DELTA');
  expect(document.querySelectorAll('[role="grid"] [tabindex="0"]').length).toBe(1);
  key('ArrowRight');
  expect(focused()).toBe('Insert DELTA');
  key('ArrowRight');
  expect(focused()).toBe('More actions for DELTA');
  key('ArrowLeft');
  key('ArrowLeft');
  key('Home');
  await waitUntil(() => focused() === 'ALPHA');
  key('Delete');
  expect(done).toEqual(['remove code-snippets alpha']);
});

test('the focus stays in the list when its row is removed', async () => {
  const server = serving();
  const model = await panel(server);
  button('BETA').focus();
  server.on('GET', LIST, { body: pageOf(ROWS.filter(row => row.name !== 'beta')) });
  await model.getSection('code-snippets').refresh();
  await waitUntil(() => focused() === 'gamma');
});

test('the focused row is the default of commands', async () => {
  const model = await panel(serving());
  button('BETA').focus();
  expect(model.state.current).toMatchObject({ space: 'code-snippets', row: { name: 'beta' } });
});

test('rows, tools and header call their actions', async () => {
  await panel(serving());
  for (const name of ['ALPHA', 'Insert ALPHA', 'Create in Code', 'Import into', 'Export', 'Refresh']) {
    button(name).click();
  }
  expect(done).toEqual([
    'edit code-snippets alpha',
    'insert code-snippets alpha',
    'create code-snippets',
    'import code-snippets',
    'export code-snippets',
    'reload code-snippets'
  ]);
});

test('only valid snippets can be inserted', async () => {
  await panel(serving());
  const inserts = [...document.querySelectorAll('button')].filter(item => item.title.startsWith('Insert '));
  expect(inserts.map(item => item.title)).toEqual(['Insert ALPHA', 'Insert DELTA']);
});

test('a tag filters the list, an empty result can be reset', async () => {
  const server = serving();
  const model = await panel(server);
  server.on('GET', LIST, { body: pageOf([]) });
  button('pandas').click();
  await waitUntil(() => document.body.textContent?.includes('No results.') === true);
  expect(button('pandas').getAttribute('aria-pressed')).toBe('true');
  button('Show all').click();
  expect(model.getSection('code-snippets').isFiltered).toBe(false);
});

test('recovery files are restored or deleted by buttons', async () => {
  const left = [
    { name: 'gone', file: 'gone.json1700000000.5', time: 1_700_000_000_500, missing: true, problem: '' },
    { name: 'torn', file: 'torn.json1700000001.5', time: 1_700_000_001_500, missing: true, problem: 'it is empty' },
    { name: 'alpha', file: 'alpha.json1700000002.5', time: 1_700_000_002_500, missing: false, problem: '' }
  ];
  const drop = ({ body }: { body: unknown }): void => {
    left.splice(
      left.findIndex(item => item.file === (body as { file: string }).file),
      1
    );
  };
  const at = 'schemaspaces/code-snippets/recovery-files';
  const server = serving()
    .on('GET', at, () => ({ body: { recoveryFiles: left } }))
    .on('POST', `${at}/recover`, request => {
      drop(request);
      return { body: {} };
    })
    .on('POST', `${at}/discard`, request => {
      drop(request);
      return { body: { recoveryFiles: left } };
    });
  await panel(server);
  const buttons = (): HTMLButtonElement[] => [
    ...document.querySelectorAll<HTMLButtonElement>('.jp-Colophon-load-problems li button')
  ];
  await waitUntil(() => buttons().length === 4);
  expect(document.querySelector('.jp-Colophon-load-problems summary')?.textContent).toContain('3 recovered copies');
  const requests = server.count('GET', LIST);
  buttons()[0]?.click();
  await waitUntil(() => buttons().length === 2);
  expect(server.seen.find(request => request.path === `${at}/recover`)?.body).toEqual({
    file: 'gone.json1700000000.5'
  });
  expect(server.count('GET', LIST)).toBe(requests + 1);
  // The focus moves to the summary above.
  await waitUntil(() => document.activeElement?.tagName === 'SUMMARY');
  buttons()[0]?.click();
  await waitUntil(() => document.querySelector('.jp-Dialog') !== null);
  expect(server.count('POST', `${at}/discard`)).toBe(0);
  document.querySelector<HTMLButtonElement>('.jp-Dialog .jp-mod-warn')?.click();
  await waitUntil(() => buttons().length === 1);
  expect(server.count('POST', `${at}/discard`)).toBe(1);
});

test('a section can be closed and load errors are listed', async () => {
  const problems = [
    { kind: 'schema', source: 'bad', distribution: 'pkg', version: '1', reason: 'no schema', timedOut: false }
  ];
  const server = serving().on('GET', 'schemaspaces', { body: { ...SPACES, problems } });
  await panel(server);
  expect(document.querySelector('details')?.textContent).toContain('bad (pkg 1): no schema');
  button('Code Snippets').click();
  await waitUntil(() => document.querySelector('[role="grid"]') === null);
  expect(button('Code Snippets').getAttribute('aria-expanded')).toBe('false');
});
