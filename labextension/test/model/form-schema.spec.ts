import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import { editingOf, formSchema, hasShape, isDrawable, startingValue } from '../../src/model/form-schema';
import { aspectUi } from '../../src/model/ui-schema';
import { PEOPLE } from '../support/server';

const NONE = { hasField: () => false, hasWidget: () => false };
const SCHEMA = PEOPLE.schema as ReadonlyJSONObject;

test('lists of words and objects of texts get editors of their own', () => {
  expect(editingOf({ type: 'array', items: { type: 'string' } })).toBe('tags');
  expect(editingOf({ type: 'object', additionalProperties: { type: 'string' } })).toBe('pairs');
});

test('anything else is left to the form', () => {
  expect(editingOf({ type: 'string' })).toBe('own');
  expect(editingOf({ type: 'array', items: { type: 'string', enum: ['a'] } })).toBe('own');
  expect(editingOf({ type: 'array', items: { type: 'object' } })).toBe('own');
  expect(editingOf({ type: 'object', additionalProperties: true })).toBe('own');
  expect(editingOf({ type: 'object', properties: {}, additionalProperties: { type: 'string' } })).toBe('own');
});

test('the order that the registry hints at is kept, without names that are not there', () => {
  expect(aspectUi(SCHEMA, { order: ['tags', 'nothing', 'properties'] }, NONE)).toEqual({
    properties: { 'ui:field': 'pairs' },
    tags: { 'ui:field': 'tags' },
    'ui:order': ['tags', 'properties', '*']
  });
  expect(aspectUi(SCHEMA, {}, NONE)).not.toHaveProperty('ui:order');
});

test('names of documents are no matter of a form', () => {
  expect(formSchema(SCHEMA)).not.toHaveProperty('$id');
  expect(formSchema(SCHEMA)).toHaveProperty('required');
});

test('a form begins with what the schema needs and keeps what is there', () => {
  expect(startingValue(SCHEMA, {})).toEqual({ properties: {}, tags: [] });
  expect(startingValue(SCHEMA, { tags: ['a'] })).toEqual({ properties: {}, tags: ['a'] });
});

test('what a form cannot draw is edited as JSON', () => {
  const drawable = [
    { type: 'string' },
    { type: ['string', 'null'] },
    { type: ['integer', 'number'] },
    { type: 'array', items: { type: 'object', properties: {} } },
    { type: 'object', properties: {} },
    { enum: [1, 2] },
    { oneOf: [] },
    { $ref: '#/definitions/a' }
  ];
  const others = [
    {},
    { type: ['string', 'array'] },
    { type: 'array' },
    { type: 'array', items: [{ type: 'string' }] },
    { type: 'object' },
    { type: 'object', additionalProperties: true },
    { $ref: 'https://example.org/a' }
  ];
  expect(drawable.map(schema => isDrawable(schema))).toEqual(drawable.map(() => true));
  expect(others.map(schema => isDrawable(schema))).toEqual(others.map(() => false));
  const list = { properties: { parts: { type: 'array', items: { type: 'object' } }, name: { type: 'string' } } };
  expect(aspectUi(list, {}, NONE)).toEqual({ parts: { 'ui:field': 'json' } });
});

test('a value that a form would hide a part of has no shape for it', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const schema = { type: 'object', properties: { by: list, size: { type: 'integer' } }, additionalProperties: false };
  expect([{}, { by: [] }, { by: ['a'], size: '${n}' }].map(value => hasShape(schema, value))).toEqual([
    true,
    true,
    true
  ]);
  expect([[], { by: {} }, { size: [1] }, { keys: [] }, 'x'].map(value => hasShape(schema, value))).not.toContain(true);
});
