import { expect, test } from 'vitest';
import { resolveRefs } from '../../../src/model/schemas/resolve-refs';
import { getInitialValue, toInstanceForm, getTitle } from '../../../src/model/instances/instance-schema';
import { toInstanceUi } from '../../../src/model/schemas/ui-schema';
import { RUNTIME, SNIPPET } from '../../support/instance-pages';

const WORDS = { displayName: 'Display name', name: 'Name', nameHelp: '' };

function ui(schema: typeof SNIPPET, hasField: (name: string) => boolean = () => false): Record<string, unknown> {
  return toInstanceUi(toInstanceForm(schema, true, WORDS), { hasField, hasWidget: () => false });
}

test("Elyra's fields are mapped to ours", () => {
  const { metadata } = ui(SNIPPET) as { metadata: Record<string, Record<string, unknown>> };
  expect(metadata['tags']?.['ui:field']).toBe('tags');
  expect(metadata['language']?.['ui:field']).toBe('dropdown');
  expect(metadata['code']?.['ui:field']).toBe('code');
  expect(metadata['description']).toEqual({ 'ui:placeholder': 'What it does' });
});

test('secrets, constants and hidden properties are detected in branches', () => {
  const { metadata } = ui(RUNTIME) as { metadata: Record<string, Record<string, unknown>> };
  expect(metadata['kind']?.['ui:field']).toBe('constant');
  expect(metadata['secret_note']?.['ui:widget']).toBe('hidden');
  const [, user] = metadata['auth']?.['oneOf'] as Record<string, Record<string, unknown>>[];
  expect(user?.['password']?.['ui:field']).toBe('password');
});

test('registered fields are used and unknown widgets ignored', () => {
  const field = { type: 'string', uihints: { 'ui:field': 'other:plugin.colour', 'ui:widget': 'no such' } };
  const schema = { properties: { metadata: { type: 'object', properties: { colour: field } } } };
  const with3rd = ui(schema, id => id === 'other:plugin.colour') as { metadata: { colour: object } };
  expect(with3rd.metadata.colour).toEqual({ 'ui:field': 'other:plugin.colour' });
  expect((ui(schema) as { metadata: { colour: object } }).metadata.colour).toEqual({});
});

test('properties of conditions have annotations', () => {
  const then = { properties: { key: { type: 'string', format: 'password' } } };
  const schema = { properties: { metadata: { type: 'object', if: {}, then, allOf: [{ if: {}, then }] } } };
  expect((ui(schema) as { metadata: { key: object } }).metadata.key).toEqual({ 'ui:field': 'password' });
});

test('only a new instance has a field for its name', () => {
  const fresh = toInstanceForm(SNIPPET, true, WORDS) as unknown as {
    properties: Record<string, object>;
    title?: string;
  };
  expect([fresh.title, '$id' in fresh, 'name' in fresh.properties]).toEqual([undefined, false, true]);
  expect('description' in (fresh.properties['metadata'] ?? {})).toBe(false);
  expect('name' in (toInstanceForm(SNIPPET, false, WORDS)['properties'] as object)).toBe(false);
});

test('a new instance has defaults and required constants', () => {
  expect(getInitialValue(resolveRefs(RUNTIME))).toEqual({
    schema_name: 'runtime',
    metadata: { kind: 'kfp', tries: 3 }
  });
});

test('a title is derived from the name of a property', () => {
  expect([getTitle({}, 'user_namespace'), getTitle({ title: 'T' }, 'x')]).toEqual(['User namespace', 'T']);
});

test('recursive and broken references are kept', () => {
  const schema = {
    definitions: { a: { items: { $ref: '#/definitions/a' } } },
    properties: { x: { $ref: '#/definitions/a' } }
  };
  expect(resolveRefs(schema)['properties']).toEqual({ x: { items: { $ref: '#/definitions/a' } } });
  expect(resolveRefs({ properties: { y: { $ref: '#/nowhere' } } })['properties']).toEqual({ y: { $ref: '#/nowhere' } });
});
