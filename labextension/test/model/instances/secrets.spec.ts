import { expect, test } from 'vitest';
import { resolveRefs } from '../../../src/model/schemas/resolve-refs';
import { fillPlaceholders, isPlaceholder, findSecretPaths, removeSecrets } from '../../../src/model/instances/secrets';
import { RUNTIME } from '../../support/instance-pages';

const KEPT = { $secret: true };

test('secrets are found in references, branches, items and members', () => {
  const schema = resolveRefs({
    definitions: { word: { type: 'string', format: 'password' } },
    properties: {
      plain: { type: 'string' },
      list: { type: 'array', items: { $ref: '#/definitions/word' } },
      map: { type: 'object', additionalProperties: { uihints: { secure: true } } },
      either: { oneOf: [{ type: 'null' }, { properties: { key: { $ref: '#/definitions/word' } } }] },
      hinted: { uihints: { 'ui:field': '@elyra/metadata-extension:plugin.password' } }
    },
    if: { properties: { plain: { const: 'x' } } },
    then: { properties: { more: { format: 'password' } } }
  });
  const places = findSecretPaths(schema).map(place => place.join('.'));
  expect(places.sort()).toEqual(['either.key', 'hinted', 'list.*', 'map.*', 'more']);
});

test('recursive schemas count as secrets', () => {
  const tree = { type: 'object', properties: { child: { $ref: '#/definitions/tree' }, name: { type: 'string' } } };
  const schema = resolveRefs({ definitions: { tree }, properties: { root: { $ref: '#/definitions/tree' } } });
  expect(findSecretPaths(schema)).toEqual([['root', 'child']]);
});

test('typed secrets are removed and placeholders kept', () => {
  const places = findSecretPaths(resolveRefs(RUNTIME));
  const base = { metadata: { auth: { type: 'user', user: 'ada', password: KEPT } } };
  const draft = { metadata: { auth: { type: 'user', user: 'bob', password: 'CANARY' } } };
  expect(removeSecrets(draft, base, places)).toEqual({
    metadata: { auth: { type: 'user', user: 'bob', password: KEPT } }
  });
  expect(JSON.stringify(removeSecrets(draft, {}, places))).not.toContain('CANARY');
});

test('secrets in lists are removed', () => {
  const places = [['keys', '*']];
  expect(removeSecrets({ keys: [KEPT, 'CANARY'] }, { keys: [KEPT] }, places)).toEqual({ keys: [KEPT] });
});

test('only the exact placeholder is recognised', () => {
  expect([isPlaceholder(KEPT), isPlaceholder({ $secret: false }), isPlaceholder({ ...KEPT, more: 1 })]).toEqual([
    true,
    false,
    false
  ]);
});

test('placeholders are replaced by strings for validation', () => {
  expect(fillPlaceholders({ a: [KEPT], b: 1 })).toEqual({ value: { a: ['secret'], b: 1 }, pointers: ['/a/0'] });
});
