import { expect, test } from 'vitest';
import { inlined } from '../../src/model/inlining';
import { filled, isPlaceholder, secretPlaces, withoutSecrets } from '../../src/model/secrets';
import { RUNTIME } from '../support/instance-pages';

const KEPT = { $secret: true };

test('a secret is found behind a reference, in a branch, in items and in further members', () => {
  const schema = inlined({
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
  const places = secretPlaces(schema).map(place => place.join('.'));
  expect(places.sort()).toEqual(['either.key', 'hinted', 'list.*', 'map.*', 'more']);
});

test('what refers to itself is taken for secret as a whole', () => {
  const tree = { type: 'object', properties: { child: { $ref: '#/definitions/tree' }, name: { type: 'string' } } };
  const schema = inlined({ definitions: { tree }, properties: { root: { $ref: '#/definitions/tree' } } });
  expect(secretPlaces(schema)).toEqual([['root', 'child']]);
});

test('a draft loses what was typed over a secret, and keeps that one is kept', () => {
  const places = secretPlaces(inlined(RUNTIME));
  const base = { metadata: { auth: { type: 'user', user: 'ada', password: KEPT } } };
  const draft = { metadata: { auth: { type: 'user', user: 'bob', password: 'CANARY' } } };
  expect(withoutSecrets(draft, base, places)).toEqual({
    metadata: { auth: { type: 'user', user: 'bob', password: KEPT } }
  });
  expect(JSON.stringify(withoutSecrets(draft, {}, places))).not.toContain('CANARY');
});

test('secrets in a list are dropped from it', () => {
  const places = [['keys', '*']];
  expect(withoutSecrets({ keys: [KEPT, 'CANARY'] }, { keys: [KEPT] }, places)).toEqual({ keys: [KEPT] });
});

test('only the exact placeholder is one', () => {
  expect([isPlaceholder(KEPT), isPlaceholder({ $secret: false }), isPlaceholder({ ...KEPT, more: 1 })]).toEqual([
    true,
    false,
    false
  ]);
});

test('placeholders become texts for a validator, and their places are told', () => {
  expect(filled({ a: [KEPT], b: 1 })).toEqual({ value: { a: ['secret'], b: 1 }, pointers: ['/a/0'] });
});
