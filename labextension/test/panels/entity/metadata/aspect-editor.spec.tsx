import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../../src/api/client';
import { AspectEditor } from '../../../../src/model/editing/editor';
import AspectEditorForm from '../../../../src/panels/entity/metadata/aspect-editor';
import { FakeServer, PEOPLE, problem, table } from '../../../support/server';
import { waitUntil } from '../../../support/wait-until';

const PATH = `entities/${table('a')}/aspects/businessMetadata`;
let open: Widget | null = null;

afterEach(() => {
  open?.dispose();
  open = null;
});

async function form(server: FakeServer): Promise<AspectEditor> {
  const base = { version: 1, value: { properties: { owner: 'ops' }, tags: ['faa'] } as never };
  const editor = new AspectEditor(new Catalog(server.settings), table('a'), PEOPLE, base);
  open = ReactWidget.create(
    <AspectEditorForm editor={editor} cancel={() => undefined} trans={nullTranslator.load('')} />
  );
  Widget.attach(open, document.body);
  await waitUntil(() => document.querySelector('form input') !== null);
  return editor;
}

function field(label: string): HTMLInputElement | HTMLTextAreaElement {
  const labelled = [...document.querySelectorAll('label')].find(item => item.textContent?.startsWith(label));
  const result = labelled
    ? document.getElementById(labelled.htmlFor)
    : document.querySelector(`[aria-label="${label}"]`);
  return result as HTMLInputElement;
}

function type(into: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const kind = into instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(into, text);
  into.dispatchEvent(new Event('input', { bubbles: true }));
}

function press(name: string): void {
  const button = [...document.querySelectorAll('button')].find(
    item => item.textContent === name || item.getAttribute('aria-label') === name
  );
  button?.click();
}

function alerts(): string[] {
  return [...document.querySelectorAll('[role="alert"]')].map(alert => alert.textContent ?? '');
}

test('the form shows all values in labelled fields', async () => {
  await form(new FakeServer());
  expect(field('Value of owner').value).toBe('ops');
  expect(field('Tags')).toBeInstanceOf(HTMLInputElement);
  expect(document.body.textContent).toContain('faa');
  expect(alerts()).toEqual([]);
});

test('an invalid key blocks saving until it is fixed', async () => {
  const server = new FakeServer().on('PUT', PATH, { body: {} });
  await form(server);
  press('Add a property');
  await waitUntil(() => field('Value') !== null);
  const row = [...document.querySelectorAll<HTMLInputElement>('[aria-label="Key"]')].at(-1)!;
  type(row, 'no good');
  press('Save');
  await waitUntil(() => alerts().length === 1);
  expect(alerts()[0]).toContain('Only A to Z');
  expect(row.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(row.getAttribute('aria-describedby') ?? '')?.textContent).toContain('Only A to Z');
  expect(server.seen).toEqual([]);
  type(row, 'good');
  type(field('Value of good'), 'yes');
  press('Save');
  await waitUntil(() => server.seen.length === 1);
  expect(server.seen[0]?.body).toEqual({ properties: { owner: 'ops', good: 'yes' }, tags: ['faa'] });
});

test('Enter adds a tag, and an invalid tag has an error', async () => {
  const editor = await form(new FakeServer());
  type(field('Tags'), 'not good');
  field('Tags').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  await waitUntil(() => alerts().length === 1);
  expect(alerts()[0]).toContain('"not good"');
  press('Remove not good');
  await waitUntil(() => alerts().length === 0);
  expect(editor.state.draft['tags']).toEqual(['faa']);
});

test('duplicate keys are an error and keep what is typed', async () => {
  const editor = await form(new FakeServer());
  press('Add a property');
  await waitUntil(() => field('Value') !== null);
  const row = [...document.querySelectorAll<HTMLInputElement>('[aria-label="Key"]')].at(-1)!;
  type(row, 'owner');
  await waitUntil(() => editor.state.inputErrors.size > 0);
  press('Save');
  await waitUntil(() => alerts().length > 0);
  expect(alerts()[0]).toContain('Duplicate');
  type(row, 'owner2');
  await waitUntil(() => alerts().length === 0);
  expect(row.value).toBe('owner2');
  expect(Object.keys(editor.state.draft['properties'] as object)).toEqual(['owner', 'owner2']);
});

test('server errors are shown at the field', async () => {
  const refusal = problem(400, 'not valid', [{ pointer: '/properties/owner', message: 'not a team' }]);
  await form(new FakeServer().on('PUT', PATH, refusal));
  type(field('Value of owner'), 'nobody');
  press('Save');
  await waitUntil(() => alerts().length === 1);
  expect(alerts()).toEqual(['not a team']);
  expect(field('Value of owner').getAttribute('aria-invalid')).toBe('true');
});

test('a conflict shows both versions to choose from', async () => {
  const theirs = { version: 2, value: { properties: { owner: 'them' }, tags: [] }, actor: 'bob', time: '', via: null };
  const server = new FakeServer().on('PUT', PATH, problem(412, 'stale')).on('GET', PATH, { body: theirs });
  await form(server);
  type(field('Value of owner'), 'me');
  press('Save');
  await waitUntil(() => document.querySelector('[role="alertdialog"]') !== null);
  expect(document.querySelector('[role="alertdialog"]')?.textContent).toContain('Changed by bob');
  press('Keep theirs');
  await waitUntil(() => field('Value of owner').value === 'them');
  expect(document.querySelector('[role="alertdialog"]')).toBeNull();
});

test('an unavailable store is reported and the draft kept', async () => {
  const server = new FakeServer().on('PUT', PATH, problem(503, 'the catalog cannot be reached'));
  const editor = await form(server);
  type(field('Value of owner'), 'me');
  press('Save');
  await waitUntil(() => alerts().length === 1);
  expect(alerts()[0]).toContain('The store of the catalog is unavailable');
  expect(alerts()[0]).toContain('the catalog cannot be reached');
  expect(editor.isDirty).toBe(true);
  server.on('PUT', PATH, { body: {} });
  press('Save');
  await waitUntil(() => alerts().length === 0 && !editor.isDirty);
});
