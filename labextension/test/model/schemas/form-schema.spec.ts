import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import {
  getEditorKind,
  toFormSchema,
  hasShape,
  isDrawable,
  addRequiredContainers,
  omitRequirements
} from '../../../src/model/schemas/form-schema';
import { toAspectUi } from '../../../src/model/schemas/ui-schema';
import { PEOPLE } from '../../support/server';

const NONE = { hasField: () => false, hasWidget: () => false };
const SCHEMA = PEOPLE.schema as ReadonlyJSONObject;

test('string lists and string maps have their own editors', () => {
  expect(getEditorKind({ type: 'array', items: { type: 'string' } })).toBe('tags');
  expect(getEditorKind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('pairs');
});

test('other schemas use the fields of rjsf', () => {
  expect(getEditorKind({ type: 'string' })).toBe('own');
  expect(getEditorKind({ type: 'array', items: { type: 'string', enum: ['a'] } })).toBe('own');
  expect(getEditorKind({ type: 'array', items: { type: 'object' } })).toBe('own');
  expect(getEditorKind({ type: 'object', additionalProperties: true })).toBe('own');
  expect(getEditorKind({ type: 'object', properties: {}, additionalProperties: { type: 'string' } })).toBe('own');
});

test('the hinted order is kept without unknown names', () => {
  expect(toAspectUi(SCHEMA, { order: ['tags', 'nothing', 'properties'] }, NONE)).toEqual({
    properties: { 'ui:field': 'pairs' },
    tags: { 'ui:field': 'tags' },
    'ui:order': ['tags', 'properties', '*']
  });
  expect(toAspectUi(SCHEMA, {}, NONE)).not.toHaveProperty('ui:order');
});

test('a form schema has no identity', () => {
  expect(toFormSchema(SCHEMA)).not.toHaveProperty('$id');
  expect(toFormSchema(SCHEMA)).toHaveProperty('required');
});

test('required containers are added to a value', () => {
  expect(addRequiredContainers(SCHEMA, {})).toEqual({ properties: {}, tags: [] });
  expect(addRequiredContainers(SCHEMA, { tags: ['a'] })).toEqual({ properties: {}, tags: ['a'] });
});

test('schemas that a form cannot display are edited as JSON', () => {
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
  expect(toAspectUi(list, {}, NONE)).toEqual({ parts: { 'ui:field': 'json' } });
});

test('a value with parts hidden by a form does not fit', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const schema = { type: 'object', properties: { by: list, size: { type: 'integer' } }, additionalProperties: false };
  expect([{}, { by: [] }, { by: ['a'], size: '${n}' }].map(value => hasShape(schema, value))).toEqual([
    true,
    true,
    true
  ]);
  expect([[], { by: {} }, { size: [1] }, { keys: [] }, 'x'].map(value => hasShape(schema, value))).not.toContain(true);
});

test('a form does not draw alternatives that only require properties', () => {
  const choice = { oneOf: [{ type: 'string' }, { const: null }] };
  const rule = { properties: { role: { type: 'string' }, choice }, required: ['to'] };
  const alternatives = [{ required: ['role'] }, { required: ['deny'] }];
  const list = { type: 'array', items: { ...rule, oneOf: alternatives } };
  expect(omitRequirements({ properties: { list }, anyOf: alternatives })).toEqual({
    properties: { list: { type: 'array', items: rule } }
  });
});
