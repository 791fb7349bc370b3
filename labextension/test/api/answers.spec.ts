import { expect, test } from 'vitest';
import { toProblem } from '../../src/api/answers';

const PROBLEM = 'application/problem+json';

test.each([
  [400, 'invalid'],
  [403, 'denied'],
  [404, 'absent'],
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

test('a commit of which nothing is known is no failure of the store alone', () => {
  const body = { type: 'urn:jupyter-colophon:problem:commit-unknown', title: 'T', detail: 'D' };
  expect(toProblem(503, PROBLEM, JSON.stringify(body)).kind).toBe('unsure');
});

test('what a proxy says is not about the store', () => {
  expect(toProblem(503, 'text/html', '<html>').kind).toBe('other');
});

test('a problem without a detail is told by its title', () => {
  expect(toProblem(400, PROBLEM, JSON.stringify({ title: 'T', detail: '' })).message).toBe('T');
});

test('whatever a proxy writes in the place of a problem does no harm', () => {
  for (const text of ['', '<html>', 'null', '[]', '{"errors": [1, null]}']) {
    expect(toProblem(502, 'text/html', text)).toMatchObject({ kind: 'other', message: 'HTTP 502', faults: [] });
  }
  expect(toProblem(400, PROBLEM, '{"detail": 4, "errors": [1, {"pointer": 2}]}').faults).toEqual([
    { pointer: '', message: '' }
  ]);
});
