import { nullTranslator } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import { instanceForm } from '../../src/model/instance-schema';
import type { IFault } from '../../src/model/problem';
import { checkOf } from '../../src/forms/validation';
import { RUNTIME } from '../support/instance-pages';

const form = instanceForm(RUNTIME, false, { displayName: 'Display name', name: 'Name', nameHelp: '' });
const check = checkOf(form, undefined, nullTranslator.load(''));

function faults(metadata: ReadonlyJSONObject): readonly IFault[] {
  const needed = { api_endpoint: 'https://example.org', kind: 'kfp' };
  return check({ schema_name: 'runtime', display_name: 'r', metadata: { ...needed, ...metadata } });
}

test('a good instance has no faults, and a kept secret is none', () => {
  expect(faults({})).toEqual([]);
  expect(faults({ auth: { type: 'user', user: 'ada', password: { $secret: true } } })).toEqual([]);
});

test('of several branches only the one that was meant speaks', () => {
  expect(faults({ auth: { type: 'user', password: 'long enough' } })).toEqual([
    { pointer: '/metadata/auth/user', message: 'Required.' }
  ]);
  expect(faults({ auth: { type: 'none', user: 'x' } })).toEqual([
    { pointer: '/metadata/auth', message: 'user does not belong here.' }
  ]);
});

test('faults are in plain words', () => {
  const found = faults({ tries: 0, servers: [], api_endpoint: 'no address', kind: 'other' });
  expect(found.map(({ pointer, message }) => `${pointer} ${message}`).sort()).toEqual([
    '/metadata/api_endpoint This must be an address such as https://example.org/path.',
    '/metadata/kind This is always kfp.',
    '/metadata/servers Required.',
    '/metadata/tries At least 1.'
  ]);
  expect(faults({ tries: 'many' })).toEqual([{ pointer: '/metadata/tries', message: 'This must be of type integer.' }]);
});
