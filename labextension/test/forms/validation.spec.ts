import { nullTranslator } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import { toInstanceForm } from '../../src/model/instances/instance-schema';
import type { IValidationError } from '../../src/model/problem';
import { createCheck } from '../../src/forms/validation';
import { RUNTIME } from '../support/instance-pages';

const form = toInstanceForm(RUNTIME, false, { displayName: 'Display name', name: 'Name', nameHelp: '' });
const check = createCheck(form, undefined, nullTranslator.load(''));

function faults(metadata: ReadonlyJSONObject): readonly IValidationError[] {
  const needed = { api_endpoint: 'https://example.org', kind: 'kfp' };
  return check({ schema_name: 'runtime', display_name: 'r', metadata: { ...needed, ...metadata } });
}

test('a valid instance with a stored secret has no errors', () => {
  expect(faults({})).toEqual([]);
  expect(faults({ auth: { type: 'user', user: 'ada', password: { $secret: true } } })).toEqual([]);
});

test('only errors of the intended branch are reported', () => {
  expect(faults({ auth: { type: 'user', password: 'long enough' } })).toEqual([
    { pointer: '/metadata/auth/user', message: 'Required.' }
  ]);
  expect(faults({ auth: { type: 'none', user: 'x' } })).toEqual([
    { pointer: '/metadata/auth', message: 'Unknown property: user.' }
  ]);
});

test('errors have readable messages', () => {
  const result = faults({ tries: 0, servers: [], api_endpoint: 'no address', kind: 'other' });
  expect(result.map(({ pointer, message }) => `${pointer} ${message}`).sort()).toEqual([
    '/metadata/api_endpoint Must be a URL such as https://example.org/path.',
    '/metadata/kind Must be kfp.',
    '/metadata/servers Required.',
    '/metadata/tries At least 1.'
  ]);
  expect(faults({ tries: 'many' })).toEqual([{ pointer: '/metadata/tries', message: 'Must be of type integer.' }]);
});
