import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { BulkEditModel } from '../../../src/panels/bulk-edit';
import { FakeServer, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

interface IProposal {
  urn: string;
  operation: string;
  value: { tags?: string[]; properties?: object };
  ifVersion?: number;
}

interface IMetadata {
  properties: object;
  tags: string[];
}

/** A server with the user metadata of two tables, and a third one that cannot be tagged. */
class Tables extends FakeServer {
  readonly values = new Map<string, [number, IMetadata]>([
    [table('a'), [1, { properties: {}, tags: ['faa'] }]],
    [table('b'), [4, { properties: {}, tags: [] }]]
  ]);

  constructor() {
    super();
    this.on('GET', 'keys/tags/values', { body: { values: [{ value: 'faa', entities: 1 }], cursor: null } });
    this.on('GET', 'keys/owner/values', { body: { values: [], cursor: null } });
    this.on('POST', 'proposals/independent', ({ body, query }) => {
      const dryRun = query.get('dryRun') === 'true';
      const { proposals } = body as { proposals: IProposal[] };
      return { body: { dryRun, outcomes: proposals.map(proposal => this._apply(proposal, dryRun)) } };
    });
  }

  private _apply({ urn, operation, value, ifVersion }: IProposal, dryRun: boolean): object {
    const outcome = { urn, aspect: 'businessMetadata', changed: false, problem: null };
    const [version, before] = this.values.get(urn) ?? [];
    if (version === undefined || before === undefined || (ifVersion !== undefined && ifVersion !== version)) {
      const status = version === undefined ? 403 : 412;
      return { ...outcome, version: null, problem: { type: '', title: '', status, detail: 'no', errors: [] } };
    }
    const added = (value.tags ?? []).filter(tag => !before.tags.includes(tag));
    const after = operation === 'annotate' ? { ...before, tags: [...before.tags, ...added] } : (value as IMetadata);
    const changed = JSON.stringify(before) !== JSON.stringify(after);
    if (dryRun) {
      return { ...outcome, changed, version, before, after };
    }
    this.values.set(urn, [version + 1, after]);
    return { ...outcome, changed, version: version + 1 };
  }
}

async function open(behind: FakeServer): Promise<BulkEditModel> {
  const model = new BulkEditModel(new Catalog(behind.settings), ['a', 'b', 'c'].map(table));
  model.show();
  await waitUntil(() => model.state.preview.length === 3 && !model.state.busy);
  return model;
}

test('a change is previewed, applied to what it changes, and undone', async () => {
  const behind = new Tables();
  const model = await open(behind);
  expect([model.affected, model.state.tags, model.state.knownTags]).toEqual([0, [['faa', 1]], ['faa']]);
  model.addTag('faa');
  expect(model.state.busy).toBe(true);
  await waitUntil(() => !model.state.busy);
  expect(model.state.preview.map(({ changed, problem }) => [changed, problem?.status])).toEqual([
    [false, undefined],
    [true, undefined],
    [false, 403]
  ]);
  expect(behind.values.get(table('b'))?.[0]).toBe(4);
  await model.apply();
  expect(behind.values.get(table('a'))).toEqual([1, { properties: {}, tags: ['faa'] }]);
  expect(behind.values.get(table('b'))).toEqual([5, { properties: {}, tags: ['faa'] }]);
  const { result } = model.state;
  expect(result?.outcomes.map(({ urn }) => urn)).toEqual([table('b')]);
  expect(result && (await model.undo(result))).toBe(0);
  expect(behind.values.get(table('b'))?.[1].tags).toEqual([]);
  model.dispose();
});

test('an entity that was changed after the preview stays, also when the change is undone', async () => {
  const behind = new Tables();
  const model = await open(behind);
  model.addTag('kpi');
  await waitUntil(() => !model.state.busy);
  behind.values.set(table('a'), [2, { properties: {}, tags: ['theirs'] }]);
  await model.apply();
  const { result } = model.state;
  expect(result?.outcomes.map(({ problem }) => problem?.status)).toEqual([412, undefined]);
  expect(behind.values.get(table('a'))?.[1].tags).toEqual(['theirs']);
  behind.values.set(table('b'), [6, { properties: {}, tags: ['kpi', 'mine'] }]);
  expect(result && (await model.undo(result))).toBe(1);
  expect(behind.values.get(table('b'))?.[1].tags).toEqual(['kpi', 'mine']);
  model.dispose();
});
