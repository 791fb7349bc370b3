import { expect, test } from 'vitest';
import { inlined } from '../../src/model/inlining';
import { beginning, instanceForm, titleOf } from '../../src/model/instance-schema';
import { instanceUi } from '../../src/model/ui-schema';
import { RUNTIME, SNIPPET } from '../support/instance-pages';

const WORDS = { displayName: 'Display name', name: 'Name', nameHelp: '' };

function ui(schema: typeof SNIPPET, hasField: (name: string) => boolean = () => false): Record<string, unknown> {
  return instanceUi(instanceForm(schema, true, WORDS), { hasField, hasWidget: () => false });
}

test("Elyra's fields become ours", () => {
  const { metadata } = ui(SNIPPET) as { metadata: Record<string, Record<string, unknown>> };
  expect(metadata['tags']?.['ui:field']).toBe('tags');
  expect(metadata['language']?.['ui:field']).toBe('dropdown');
  expect(metadata['code']?.['ui:field']).toBe('code');
  expect(metadata['description']).toEqual({ 'ui:placeholder': 'What it does' });
});

test('secrets, constants and hidden properties are told by the schema itself, also in branches', () => {
  const { metadata } = ui(RUNTIME) as { metadata: Record<string, Record<string, unknown>> };
  expect(metadata['kind']?.['ui:field']).toBe('constant');
  expect(metadata['secret_note']?.['ui:widget']).toBe('hidden');
  const [, user] = metadata['auth']?.['oneOf'] as Record<string, Record<string, unknown>>[];
  expect(user?.['password']?.['ui:field']).toBe('password');
});

test('a field of a third party is used where it is registered, and a widget that nobody has is left out', () => {
  const field = { type: 'string', uihints: { 'ui:field': 'other:plugin.colour', 'ui:widget': 'no such' } };
  const schema = { properties: { metadata: { type: 'object', properties: { colour: field } } } };
  const with3rd = ui(schema, id => id === 'other:plugin.colour') as { metadata: { colour: object } };
  expect(with3rd.metadata.colour).toEqual({ 'ui:field': 'other:plugin.colour' });
  expect((ui(schema) as { metadata: { colour: object } }).metadata.colour).toEqual({});
});

test('what a condition adds is hinted at like the rest', () => {
  const then = { properties: { key: { type: 'string', format: 'password' } } };
  const schema = { properties: { metadata: { type: 'object', if: {}, then, allOf: [{ if: {}, then }] } } };
  expect((ui(schema) as { metadata: { key: object } }).metadata.key).toEqual({ 'ui:field': 'password' });
});

test('a form has no words about documents, and a name only for what is new', () => {
  const fresh = instanceForm(SNIPPET, true, WORDS) as unknown as { properties: Record<string, object>; title?: string };
  expect([fresh.title, '$id' in fresh, 'name' in fresh.properties]).toEqual([undefined, false, true]);
  expect('description' in (fresh.properties['metadata'] ?? {})).toBe(false);
  expect('name' in (instanceForm(SNIPPET, false, WORDS)['properties'] as object)).toBe(false);
});

test('a new instance begins with defaults and with constants that have to be there', () => {
  expect(beginning(inlined(RUNTIME))).toEqual({ schema_name: 'runtime', metadata: { kind: 'kfp', tries: 3 } });
});

test('a property without a title is named by its words', () => {
  expect([titleOf({}, 'user_namespace'), titleOf({ title: 'T' }, 'x')]).toEqual(['User namespace', 'T']);
});

test('a reference that leads round or nowhere stays one', () => {
  const schema = {
    definitions: { a: { items: { $ref: '#/definitions/a' } } },
    properties: { x: { $ref: '#/definitions/a' } }
  };
  expect(inlined(schema)['properties']).toEqual({ x: { items: { $ref: '#/definitions/a' } } });
  expect(inlined({ properties: { y: { $ref: '#/nowhere' } } })['properties']).toEqual({ y: { $ref: '#/nowhere' } });
});
