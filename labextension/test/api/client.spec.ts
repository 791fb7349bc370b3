import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { writeAspect } from '../../src/model/editing/write-aspect';
import { CatalogProblem, Superseded } from '../../src/model/problem';
import { answerOf, FakeServer, problem, table } from '../support/server';

test('a URN is one encoded part of the path', async () => {
  const server = new FakeServer().on('GET', `entities/${table('a')}`, { body: { name: 'a' } });
  expect(await new Catalog(server.settings).call('readEntity', { urn: table('a') })).toEqual({ name: 'a' });
  expect(server.seen[0]?.headers.get('Authorization')).toContain('secret');
});

test('query parameters are encoded and undefined ones omitted', async () => {
  const server = new FakeServer().on('GET', 'search', { body: answerOf([]) });
  await new Catalog(server.settings).call('search', { q: 'owner:op* "a & b"', limit: 5 });
  expect(server.seen[0]?.query.get('q')).toBe('owner:op* "a & b"');
  expect(server.seen[0]?.query.has('cursor')).toBe(false);
});

test('writes send If-Match or If-None-Match', async () => {
  const path = `entities/${table('a')}/aspects/businessMetadata`;
  const server = new FakeServer().on('PUT', path, { body: {} });
  const catalog = new Catalog(server.settings);
  await writeAspect(catalog, table('a'), 'businessMetadata', { tags: [] }, 3);
  await writeAspect(catalog, table('a'), 'businessMetadata', { tags: [] }, 0);
  expect(server.seen[0]?.headers.get('If-Match')).toBe('"3"');
  expect(server.seen[0]?.body).toEqual({ tags: [] });
  expect(server.seen[1]?.headers.get('If-Match')).toBeNull();
  expect(server.seen[1]?.headers.get('If-None-Match')).toBe('*');
});

test('a rejected request has errors with pointers', async () => {
  const faults = [{ pointer: '/tags/0', message: 'no' }];
  const server = new FakeServer().on('GET', 'me', problem(400, 'not valid', faults));
  const failure = await new Catalog(server.settings).call('readMe', {}).catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(CatalogProblem);
  expect(failure).toMatchObject({ kind: 'invalid', message: 'not valid', status: 400, errors: faults });
});

test('a 404 without a problem document means a missing extension', async () => {
  const failure = await new Catalog(new FakeServer().settings).call('readMe', {}).catch((reason: unknown) => reason);
  expect(failure).toMatchObject({ kind: 'no-extension' });
});

test('an unreachable server differs from a rejected request', async () => {
  const server = new FakeServer().on('GET', 'me', () => Promise.reject(new TypeError('refused')));
  const failure = await new Catalog(server.settings).call('readMe', {}).catch((reason: unknown) => reason);
  expect(failure).toMatchObject({ kind: 'unreachable' });
});

test('an aborted request rejects with Superseded', async () => {
  const abort = new AbortController();
  const server = new FakeServer().on('GET', 'search', () => {
    abort.abort();
    return Promise.reject(new TypeError('aborted'));
  });
  const failure = await new Catalog(server.settings)
    .call('search', { q: 'a' }, { signal: abort.signal })
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(Superseded);
});
