import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import { editingOf, formSchema, startingValue, uiSchemaOf } from '../../src/model/form-schema';
import { PEOPLE } from '../support/server';

const SCHEMA = PEOPLE.schema as ReadonlyJSONObject;

test('lists of words and objects of texts get editors of their own', () => {
  expect(editingOf({ type: 'array', items: { type: 'string' } })).toBe('words');
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
  expect(uiSchemaOf(SCHEMA, { order: ['tags', 'nothing', 'properties'] })).toEqual({
    properties: { 'ui:field': 'pairs' },
    tags: { 'ui:field': 'words' },
    'ui:order': ['tags', 'properties', '*']
  });
  expect(uiSchemaOf(SCHEMA, {})).not.toHaveProperty('ui:order');
});

test('names of documents are no matter of a form', () => {
  expect(formSchema(SCHEMA)).not.toHaveProperty('$id');
  expect(formSchema(SCHEMA)).toHaveProperty('required');
});

test('a form begins with what the schema needs and keeps what is there', () => {
  expect(startingValue(SCHEMA, {})).toEqual({ properties: {}, tags: [] });
  expect(startingValue(SCHEMA, { tags: ['a'] })).toEqual({ properties: {}, tags: ['a'] });
});
