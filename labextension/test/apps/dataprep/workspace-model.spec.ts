import { describe, expect, it } from 'vitest';
import { HomeModel } from '../../../apps/dataprep/home-model';
import { WorkspaceModel } from '../../../apps/dataprep/workspace-model';
import type { IPanelContext } from '../../../src/tokens';

const WORKSPACE = '/v2/contexts/{context}/workspaces/w1';

/** Answers of a server by method and path; an error is a refusal. */
type Answers = Readonly<Record<string, unknown>>;

function createContext(answers: Answers, calls: string[] = []): IPanelContext {
  const call: IPanelContext['call'] = (method, path, body) => {
    const key = `${method} ${path}`;
    calls.push(body === undefined ? key : `${key} ${JSON.stringify(body)}`);
    const answer = answers[key];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const metadata = {
    call: (id: string, parameters: object, { body }: { body: { display_name: string } }) => {
      calls.push(`${id} ${JSON.stringify(parameters)} ${body.display_name}`);
      return Promise.resolve({ urn: 'urn:li:instance:orders' });
    },
    openInstance: (urn: string) => calls.push(`open ${urn}`)
  };
  return { call, metadata, signal: new AbortController().signal } as unknown as IPanelContext;
}

function createPage(rows: string[][], nextOffset: number | null): object {
  const columns = [{ name: 'name', type: 'string' }];
  return { columns, rows, rowCount: 3, nextOffset, rejectedCount: 0, rejected: [] };
}

const LOADED: Answers = {
  [`GET ${WORKSPACE}`]: { id: 'w1', name: 'orders', directives: ['trim :name', 'drop :id'] },
  ['GET /v2/contexts/{context}/directives']: { directives: [{ name: 'trim', usage: '', description: '' }] },
  [`GET ${WORKSPACE}/rows`]: createPage([['Ada'], ['Bob']], 2),
  [`GET ${WORKSPACE}/rows?offset=2&limit=100`]: createPage([['Cyd']], null),
  [`GET ${WORKSPACE}/columns`]: { columns: [{ name: 'name', distinct: 3 }] }
};

describe('the model of a workspace', () => {
  it('loads rows, profiles and directives, and then further rows', async () => {
    const model = new WorkspaceModel(createContext(LOADED), 'w1');
    await model.load();
    expect(model.state.workspace?.name).toBe('orders');
    expect(model.state.directives.map(({ name }) => name)).toEqual(['trim']);
    expect(model.state.profiles.get('name')?.distinct).toBe(3);
    await model.loadMore();
    expect(model.state.page?.rows).toEqual([['Ada'], ['Bob'], ['Cyd']]);
  });

  it('removes a step by the recipe without it', async () => {
    const calls: string[] = [];
    const answer = { id: 'w1', name: 'orders', directives: ['drop :id'], page: createPage([['Ada']], null) };
    const model = new WorkspaceModel(
      createContext({ ...LOADED, [`PUT ${WORKSPACE}/directives`]: answer }, calls),
      'w1'
    );
    await model.load();
    expect(await model.removeLine(0)).toBe('');
    expect(calls).toContain(`PUT ${WORKSPACE}/directives {"directives":["drop :id"]}`);
    expect(model.state.workspace?.directives).toEqual(['drop :id']);
    expect(model.state.page?.rows).toEqual([['Ada']]);
  });

  it('keeps the recipe that the server refuses to change', async () => {
    const refusal = Object.assign(new Error('line 3, column 1: unknown directive x'), { status: 400 });
    const model = new WorkspaceModel(createContext({ ...LOADED, [`POST ${WORKSPACE}/directives`]: refusal }), 'w1');
    await model.load();
    expect(await model.append(['x'])).toBe('line 3, column 1: unknown directive x');
    expect(model.state.workspace?.directives).toEqual(['trim :name', 'drop :id']);
    expect(model.state.failure).toBeNull();
  });

  it('saves its pipeline, and opens it', async () => {
    const calls: string[] = [];
    const path = `GET ${WORKSPACE}/pipeline?sink=%2Ftmp%2Fa+b&onRejected=write&rejected=%2Ftmp%2Fc`;
    const model = new WorkspaceModel(createContext({ [path]: { display_name: 'orders' } }, calls), 'w1');
    expect(await model.publish({ sink: '/tmp/a b', onRejected: 'write', rejected: '/tmp/c' })).toBe('');
    expect(calls).toEqual([path, 'createInstance {"space":"pipelines"} orders', 'open urn:li:instance:orders']);
  });
});

describe('the model of the first page', () => {
  it('names a workspace by the entry that it samples', async () => {
    const calls: string[] = [];
    const answers = { 'POST /v2/contexts/{context}/workspaces': { id: 'w1' } };
    const model = new HomeModel(createContext(answers, calls));
    expect(await model.createWorkspace('shop', { name: 'odd / name', path: 'main/odd%20%2F%20name' })).toBe('w1');
    expect(calls[0]).toContain('{"name":"odd / name","connection":"shop","path":"main/odd%20%2F%20name"}');
  });

  it('tests a connection by its document, and returns why it is refused', async () => {
    const calls: string[] = [];
    const path = 'POST /v2/contexts/{context}/connections/test';
    const connection = { type: 'jdbc', url: 'jdbc:sqlite:/data/shop.db' } as const;
    const model = new HomeModel(createContext({ [path]: { message: 'SQLite 3.40' } }, calls));
    expect(await model.testConnection(connection)).toEqual({ message: 'SQLite 3.40', refusal: '' });
    expect(calls).toEqual([`${path} {"type":"jdbc","url":"jdbc:sqlite:/data/shop.db"}`]);
    const refusal = Object.assign(new Error('file shop.db not found'), { status: 404 });
    const refused = new HomeModel(createContext({ [path]: refusal }));
    expect(await refused.testConnection(connection)).toEqual({ message: '', refusal: 'file shop.db not found' });
  });

  it('stores a secret, and loads the names of all', async () => {
    const calls: string[] = [];
    const secrets = [{ name: 'warehouse', description: '' }];
    const model = new HomeModel(createContext({ 'GET /v2/contexts/{context}/secrets': { secrets } }, calls));
    expect(await model.storeSecret('warehouse', 'a b')).toBe('');
    expect(calls[0]).toBe('PUT /v2/contexts/{context}/secrets/warehouse {"value":"a b"}');
    expect(model.state.secrets).toEqual(secrets);
  });
});
