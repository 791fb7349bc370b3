import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { CompletionModel } from '../../../src/model/search/completion';
import { FakeServer } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

function server(): FakeServer {
  return new FakeServer()
    .on('GET', 'keys', {
      body: {
        keys: [
          { key: 'owner_system', kind: 'property', scope: 'SYSTEM', entities: 9 },
          { key: 'owner', kind: 'property', scope: 'USER', entities: 2 },
          { key: 'owned data', kind: 'tag', scope: 'USER', entities: 1 }
        ],
        cursor: null
      }
    })
    .on('GET', 'keys/owner/values', { body: { values: [{ value: 'ops team', entities: 2 }], cursor: null } });
}

async function complete(behind: FakeServer, text: string): Promise<CompletionModel> {
  const model = new CompletionModel(new Catalog(behind.settings));
  model.update(text.slice(0, -1), text.length - 1);
  model.update(text, text.length);
  await waitUntil(() => model.state.options.length > 0);
  return model;
}

test('keys are completed with one request, those of people first', async () => {
  const behind = server();
  const { state } = await complete(behind, 'faa own');
  expect(state.options.map(option => option.text)).toEqual(['owner:', '"tags:owned data"', 'owner_system:']);
  expect([state.start, state.end]).toEqual([4, 7]);
  expect(behind.seen.map(request => [request.path, request.query.get('prefix')])).toEqual([['keys', 'own']]);
});

test('values are completed after a key, quoted if necessary', async () => {
  const { state } = await complete(server(), 'owner:o');
  expect(state.options).toEqual([{ text: '"owner:ops team"', entities: 2 }]);
});

test('times have ranges and operators, without a request', async () => {
  const behind = server();
  const { state } = await complete(behind, 'creation-time:n');
  expect(state.options[0]?.text).toBe('creation-time:now-1d..');
  expect(behind.seen).toEqual([]);
});

test('clearing cancels the request', async () => {
  const behind = server();
  const model = await complete(behind, 'own');
  model.update('owne', 4);
  model.clear();
  expect(model.state.options).toEqual([]);
  model.dispose();
  expect(behind.seen).toHaveLength(1);
});
