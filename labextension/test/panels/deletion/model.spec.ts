import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { DeletionModel } from '../../../src/panels/deletion/model';
import { answerOf, FakeServer, hit, lineageOf, table } from '../../support/server';

const IMPACT = { total: 1, byType: [{ name: 'dataset', count: 1 }], byOwner: [], byNamespace: [], truncated: false };
const STATUS = { type: '', title: '', keyAspect: '', aspects: [{ name: 'status' }] };

function server(): FakeServer {
  return new FakeServer()
    .on('GET', 'registry/dataset', { body: STATUS })
    .on('GET', 'registry/domain', { body: STATUS })
    .on('GET', 'lineage/impact', { body: IMPACT })
    .on('GET', 'lineage', { body: lineageOf(table('a'), [[table('a'), table('b')]]) })
    .on('GET', 'search', { body: answerOf([hit('carrier')]) })
    .on('PUT', `entities/${table('a')}/aspects/status`, { body: {} })
    .on('PUT', 'entities/urn:li:domain:sales/aspects/status', { body: {} });
}

test('what is downstream of data is counted and listed, and data is marked as deleted', async () => {
  const behind = server();
  const model = new DeletionModel(new Catalog(behind.settings), table('a'));
  await model.refresh();
  expect(model.state.impact?.total).toBe(1);
  expect(model.state.downstream.map(({ urn }) => urn)).toEqual([table('b')]);
  expect([model.state.carrierCount, model.state.isUndoable]).toEqual([0, true]);
  await model.delete();
  expect(behind.seen.at(-1)?.body).toEqual({ removed: true });
  model.dispose();
});

test('what refers to a domain is found, and the domain is marked as deleted', async () => {
  const behind = server();
  const model = new DeletionModel(new Catalog(behind.settings), 'urn:li:domain:sales');
  await model.refresh();
  expect(behind.seen.find(({ path }) => path === 'search')?.query.get('q')).toBe('domain:urn:li:domain:sales');
  expect(model.state.carriers.map(({ name }) => name)).toEqual(['carrier']);
  expect([model.state.impact, model.state.isUndoable]).toEqual([null, true]);
  await model.delete();
  expect(behind.count('PUT', 'entities/urn:li:domain:sales/aspects/status')).toBe(1);
  model.dispose();
});
