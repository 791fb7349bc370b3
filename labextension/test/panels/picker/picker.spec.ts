import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { hasLineage } from '../../../src/model/urns';
import { pickReference } from '../../../src/panels/picker/pick-reference';
import { PickerModel } from '../../../src/panels/picker/model';
import { answerOf, column, FakeServer, hit, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const CHANGE = { type: 'dataset', namespace: 'flights', operation: 'update', aspect: 'businessMetadata' };
const CHANGES = ['old', 'new'].map((name, seq) => ({ ...CHANGE, seq, name, urn: table(name), time: '', actor: 'ada' }));

function createServer(): FakeServer {
  return new FakeServer()
    .on('GET', 'changes', ({ query }) => ({
      body: query.get('limit') === '0' ? { cursor: 2, changes: [] } : { cursor: 2, changes: CHANGES }
    }))
    .on('GET', 'search', ({ query }) => {
      const ofColumn = { ...hit('a'), urn: column('a', 'price'), type: 'schemaField' };
      return { body: answerOf(query.get('q') === 'none*' ? [] : [ofColumn, hit('a'), hit('b')]) };
    });
}

test('recent entities can be chosen at once', async () => {
  const model = new PickerModel(new Catalog(createServer().settings));
  model.show();
  await waitUntil(() => model.state.choices.length > 0);
  expect(model.state.choices.map(choice => choice.name)).toEqual(['new', 'old']);
  expect(model.urn).toBe(table('new'));
  model.dispose();
});

test('a search lists the allowed entities, and the keyboard selects one', async () => {
  const server = createServer();
  const model = new PickerModel(new Catalog(server.settings), { isAllowed: hasLineage });
  model.setText('fli');
  expect(model.urn).toBeNull();
  await waitUntil(() => !model.state.busy);
  expect(server.seen.at(-1)?.query.get('q')).toBe('fli*');
  expect(model.state.choices.map(choice => choice.urn)).toEqual([table('a'), table('b')]);
  expect(model.urn).toBe(table('a'));
  model.move(1);
  expect(model.urn).toBe(table('b'));
  model.move(1);
  expect(model.urn).toBe(table('a'));
  model.move(-1);
  expect(model.urn).toBe(table('b'));

  model.setText('none');
  await waitUntil(() => !model.state.busy);
  model.move(1);
  expect([model.state.choices, model.urn]).toEqual([[], null]);
  model.dispose();
});

test('a failed search is a problem, and nothing is selected', async () => {
  const server = createServer().on('GET', 'search', problem(503, 'the store is locked'));
  const model = new PickerModel(new Catalog(server.settings));
  model.setText('x');
  await waitUntil(() => model.state.problem !== null);
  expect(model.urn).toBeNull();
  model.dispose();
});

test('without a glossary term, the dialog names where terms are created', async () => {
  const server = createServer().on('GET', 'search', () => ({ body: answerOf([]) }));
  const picked = pickReference(new Catalog(server.settings), 'term', nullTranslator.load(''));
  const readNote = (): string => document.querySelector('.jp-Colophon-picker [role="status"]')?.textContent ?? '';
  await waitUntil(() => readNote() !== '');
  expect(readNote()).toBe('There is none yet. Glossary terms are created under Browse in the panel Metadata.');
  document.querySelector<HTMLElement>('.jp-Dialog-button.jp-mod-reject')!.click();
  expect(await picked).toBeNull();
});

test('entities of some types are listed by name', async () => {
  const server = createServer().on('GET', 'search', ({ query }) => ({
    body: answerOf([{ ...hit(query.get('type') ?? ''), displayName: query.get('type') === 'corpuser' ? 'Ada' : null }])
  }));
  const model = new PickerModel(new Catalog(server.settings), { types: ['corpuser', 'corpGroup'] });
  model.show();
  await waitUntil(() => model.state.choices.length > 0);
  expect(model.state.choices.map(choice => choice.name)).toEqual(['Ada', 'corpGroup']);
  expect(server.seen.map(({ query }) => [query.get('q'), query.get('sort')])).toEqual([
    ['*', 'name'],
    ['*', 'name']
  ]);
  model.dispose();
});
