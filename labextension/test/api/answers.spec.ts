import { expect, test } from 'vitest';
import { toProblem } from '../../src/api/answers';

const PROBLEM = 'application/problem+json';

test.each([
  [202, 'held'],
  [400, 'invalid'],
  [403, 'denied'],
  [404, 'not-found'],
  [412, 'conflict'],
  [413, 'invalid'],
  [500, 'other'],
  [503, 'store'],
  [507, 'store']
])('a problem with status %i is of kind %s', (status, kind) => {
  expect(toProblem(status, PROBLEM, JSON.stringify({ title: 'T', detail: 'D', errors: [] }))).toMatchObject({
    kind,
    message: 'D'
  });
});

test('an unknown commit result is not a store failure', () => {
  const body = { type: 'urn:jupyter-colophon:problem:commit-unknown', title: 'T', detail: 'D' };
  expect(toProblem(503, PROBLEM, JSON.stringify(body)).kind).toBe('commit-unknown');
});

test('a proxy error is not a store failure', () => {
  expect(toProblem(503, 'text/html', '<html>').kind).toBe('other');
});

test('a problem without detail shows its title', () => {
  expect(toProblem(400, PROBLEM, JSON.stringify({ title: 'T', detail: '' })).message).toBe('T');
});

test('an error response without a problem document is accepted', () => {
  for (const text of ['', '<html>', 'null', '[]', '{"errors": [1, null]}']) {
    expect(toProblem(502, 'text/html', text)).toMatchObject({ kind: 'other', message: 'HTTP 502', errors: [] });
  }
  expect(toProblem(400, PROBLEM, '{"detail": 4, "errors": [1, {"pointer": 2}]}').errors).toEqual([
    { pointer: '', message: '' }
  ]);
});
