import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { File } from 'node:buffer';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Artifact } from '../../../src/generated/api';
import { ApplicationsModel, ApplicationsPanel } from '../../../src/panels/applications';
import { readArtifactName } from '../../../src/panels/applications/artifacts/file-name';
import { clickButton, findButton } from '../../support/buttons';
import { FakeFeed } from '../../support/feed';
import { FakeServer, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const SOURCE = '__version__ = "1.0"\n\nclass Upper(TransformPlugin):\n    name = "upper"\n';
const TOOLS: Artifact = {
  ...{ namespace: 'shop', name: 'shop_tools', version: '1.0', kind: 'module', sha256: 'a', size: SOURCE.length },
  ...{ created: '2026-11-27T08:00:00.000Z', createdBy: 'ada' },
  urn: 'urn:li:custom:(artifact,namespace=shop,artifact=shop_tools,version=1.0)',
  plugins: [
    {
      ...{
        use: 'pipeline',
        type: 'transform',
        name: 'upper',
        title: 'Upper case',
        description: 'A column in capitals'
      },
      ...{ value: 'shop_tools:Upper', inputs: [1, 1], arguments: ['day'] },
      schema: { type: 'object', properties: { column: { title: 'Column', type: 'string' } }, required: ['column'] }
    }
  ]
};
const ONE = 'namespaces/shop/artifacts/shop_tools/versions/1.0';

let panel: ApplicationsPanel | null = null;
let feed = new FakeFeed();
const done: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  feed = new FakeFeed();
  done.length = 0;
});

function server(missing = ''): FakeServer {
  let artifacts: Artifact[] = [];
  return new FakeServer()
    .on('GET', 'system-apps/panels', { body: { panels: [] } })
    .on('GET', 'access', ({ query }) => {
      const permission = query.get('permission');
      return { body: { allowed: permission !== missing, permission, reason: 'no policy grants it' } };
    })
    .on('GET', 'system-apps', { body: { systemApps: [] } })
    .on('GET', 'entities', { body: { entities: [{ name: 'shop' }, { name: 'ops' }], cursor: null } })
    .on('GET', 'namespaces/ops/artifacts', { body: { artifacts: [], cursor: null } })
    .on('GET', 'namespaces/shop/artifacts', () => ({ body: { artifacts, cursor: null } }))
    .on('PUT', ONE, ({ body }) => {
      if (body !== SOURCE) {
        return problem(400, 'the artifact is invalid', [{ pointer: '', message: 'it declares no plugin' }]);
      }
      artifacts = [TOOLS];
      return { status: 201, body: TOOLS };
    })
    .on('DELETE', ONE, () => {
      artifacts = [];
      return { body: TOOLS };
    });
}

async function open(backend: FakeServer, namespace = 'shop'): Promise<void> {
  const actions = {
    confirmDisabling: () => Promise.resolve(false),
    confirmDrop: () => Promise.resolve(false),
    confirmDroppingTables: () => Promise.resolve(false),
    confirmDeletion: ({ name, version }: Artifact) => {
      done.push(`delete ${name} ${version}`);
      return Promise.resolve(true);
    },
    openEntity: (urn: string) => void done.push(urn),
    openPanel: () => undefined
  };
  const model = new ApplicationsModel(new Catalog(backend.settings), feed.feed);
  panel = new ApplicationsPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  await clickButton('Artifacts');
  await waitUntil(() => document.querySelector('select option') !== null);
  const select = document.querySelector('select');
  if (select !== null) {
    select.value = namespace;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  }
  await waitUntil(() => backend.count('GET', `namespaces/${namespace}/artifacts`) > 0);
}

/** Drops files on the area for uploads. */
async function drop(...files: File[]): Promise<void> {
  await waitUntil(() => document.querySelector('.jp-Colophon-artifactDrop') !== null);
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { files, types: ['Files'] } });
  document.querySelector('.jp-Colophon-artifactDrop')?.dispatchEvent(event);
}

function cells(label: string): (string | null)[][] {
  return [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map(row =>
    [...row.querySelectorAll('th, td')].map(cell => cell.textContent)
  );
}

function hasText(text: string): boolean {
  return document.body.textContent?.includes(text) === true;
}

test('a dropped module is uploaded, its plugins are shown, and it is deleted', async () => {
  const backend = server();
  await open(backend);
  await waitUntil(() => hasText('The namespace has no artifacts.'));
  await drop(new File([SOURCE], 'shop_tools.py'));
  await clickButton('Upload');
  await waitUntil(() => hasText('Artifact shop_tools 1.0 uploaded, with the plugins upper.'));
  await waitUntil(() => document.activeElement?.textContent === 'Upload a file…');
  const put = backend.seen.find(({ method }) => method === 'PUT');
  expect([put?.headers.get('Content-Type'), put?.body]).toEqual(['application/octet-stream', SOURCE]);
  await waitUntil(() => cells('Artifacts').length === 1);
  expect(cells('Artifacts')[0]?.slice(0, 7)).toEqual([
    ...['shop_tools', '1.0', 'module', `${SOURCE.length} bytes`, 'ada'],
    ...[new Date(TOOLS.created).toLocaleString(), 'upper (transform): A column in capitals']
  ]);
  await clickButton('Show the plugins of shop_tools 1.0');
  await waitUntil(() => cells('Plugins of shop_tools 1.0').length === 1);
  expect(document.activeElement?.textContent).toBe('Plugins of shop_tools 1.0');
  expect(cells('Plugins of shop_tools 1.0')).toEqual([
    ['upperUpper case', 'stages of pipelines', 'transform', 'A column in capitals', 'shop_tools:Upper'].concat([
      ...['1', 'column Column, string, required', 'day']
    ])
  ]);
  await clickButton('Delete shop_tools 1.0');
  await waitUntil(() => cells('Artifacts').length === 0);
  expect(done).toEqual(['delete shop_tools 1.0']);
});

test('the reason of a refusal is shown, and the file can be uploaded after a correction', async () => {
  await open(server());
  await drop(new File(['import os\n'], 'shop_tools.py'));
  await waitUntil(() => findButton('Upload') !== undefined);
  const [name, version] = document.querySelectorAll<HTMLInputElement>('form input');
  expect([name?.value, version?.value]).toEqual(['shop_tools', '']);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(version, '1.0');
  version?.dispatchEvent(new Event('input', { bubbles: true }));
  version?.focus();
  await clickButton('Upload');
  await waitUntil(() => hasText('it declares no plugin'));
  expect(document.activeElement).toBe(version);
  await drop(new File([SOURCE], 'shop_tools.py'));
  await waitUntil(() => !hasText('it declares no plugin'));
  await clickButton('Upload');
  await waitUntil(() => hasText('Artifact shop_tools 1.0 uploaded'));
});

test('other files, and several files, are refused before a request', async () => {
  const backend = server();
  await open(backend);
  await drop(new File(['x'], 'notes.txt'));
  await waitUntil(() => hasText('Choose one file whose name ends with .whl or .py.'));
  await drop(new File([SOURCE], 'shop_tools.py'));
  await waitUntil(() => findButton('Upload') !== undefined);
  expect(hasText('Choose one file')).toBe(false);
  await drop(new File([SOURCE], 'a.py'), new File([SOURCE], 'b.py'));
  await waitUntil(() => hasText('Choose one file'));
  expect(backend.seen.every(({ method }) => method === 'GET')).toBe(true);
});

test('users without the rights see why they cannot upload', async () => {
  const backend = server('emit');
  await open(backend);
  await waitUntil(() => hasText('you do not have the right "emit" (no policy grants it)'));
  expect(findButton('Upload a file…')).toBeUndefined();
  expect(backend.seen.every(({ method }) => method === 'GET')).toBe(true);
});

test('an upload of another user appears by the change feed', async () => {
  const backend = server();
  await open(backend);
  await waitUntil(() => hasText('The namespace has no artifacts.'));
  backend.on('GET', 'namespaces/shop/artifacts', { body: { artifacts: [TOOLS], cursor: null } });
  await waitUntil(() => feed.holders === 1);
  feed.emit('shop_tools', { namespace: 'shop', type: 'custom', urn: TOOLS.urn });
  await waitUntil(() => cells('Artifacts').length === 1);
});

test.each([
  ['shop_tools-1.0-py3-none-any.whl', '', 'shop_tools', '1.0'],
  ['shop.tools-2.1.post1-7-py3-none-any.whl', '', 'shop-tools', '2.1.post1'],
  ['tools.py', '"""Tools."""\n__version__: str = \'3.0\'\n', 'tools', '3.0'],
  ['tools.py', 'x = "__version__ = 3"\n', 'tools', ''],
  ['wheel.whl', '', '', '']
])('the name and version of %s', async (file, source, name, version) => {
  expect(await readArtifactName(new File([source], file) as unknown as globalThis.File)).toEqual({ name, version });
});
