import { nullTranslator } from '@jupyterlab/translation';
import { FormRendererRegistry, ReactWidget } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import type { FieldProps, WidgetProps } from '@rjsf/utils';
import React from 'react';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { FormTools } from '../../src/forms/context';
import { AspectEditor } from '../../src/model/editing/editor';
import AspectEditorForm from '../../src/panels/entity/metadata/aspect-editor';
import { FakeServer, PEOPLE, problem, table } from '../support/server';
import { waitUntil } from '../support/wait-until';

const PATH = `entities/${table('a')}/aspects/contract`;
let open: Widget | null = null;

afterEach(() => {
  open?.dispose();
  open = null;
});

/** Renderers of another extension: a field for an aspect or a part of it, and a widget. */
function registry(): FormRendererRegistry {
  const renderers = new FormRendererRegistry();
  const Period = ({ formData, onChange }: FieldProps<{ days?: number }>): React.JSX.Element => (
    <button type="button" onClick={() => void onChange({ ...formData, days: (formData?.days ?? 0) + 1 })}>
      {`keep ${formData?.days ?? 0} days`}
    </button>
  );
  const Stars = ({ id, value, onChange }: WidgetProps): React.JSX.Element => (
    <input id={id} type="range" value={Number(value ?? 0)} onChange={event => onChange(Number(event.target.value))} />
  );
  const Days = ({ formData, idSchema }: FieldProps<number>): React.JSX.Element => (
    <input id={idSchema.$id} defaultValue={formData} />
  );
  renderers.addRenderer('acme-contracts:plugin.days', { fieldRenderer: Days });
  renderers.addRenderer('acme-contracts:plugin.period', { fieldRenderer: Period });
  renderers.addRenderer('acme-contracts:plugin.stars', { widgetRenderer: Stars });
  return renderers;
}

/** The form for an aspect of a registry extension. */
async function form(schema: ReadonlyJSONObject, value: ReadonlyJSONObject, server = new FakeServer()): Promise<void> {
  const spec = { ...PEOPLE, name: 'contract', title: 'Contract', uihints: {}, schema };
  const editor = new AspectEditor(new Catalog(server.settings), table('a'), spec, { version: 1, value });
  const body = <AspectEditorForm editor={editor} cancel={() => undefined} trans={nullTranslator.load('')} />;
  open = ReactWidget.create(
    <FormTools.Provider value={{ editors: null, renderers: registry() }}>{body}</FormTools.Provider>
  );
  Widget.attach(open, document.body);
  await waitUntil(() => button('Save') !== undefined);
}

function button(name: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find(item => item.textContent === name);
}

function labels(): string[] {
  return [...document.querySelectorAll('form label')].map(item => item.textContent);
}

function alerts(): string[] {
  return [...document.querySelectorAll('form [role="alert"]')].map(item => item.textContent);
}

test('an annotated renderer edits a whole aspect', async () => {
  const server = new FakeServer().on('PUT', PATH, { body: {} });
  const schema = {
    type: 'object',
    properties: { days: { type: 'integer' } },
    'ui:field': 'acme-contracts:plugin.period'
  };
  await form(schema, { days: 7 }, server);
  expect(labels()).toEqual([]);
  button('keep 7 days')?.click();
  await waitUntil(() => button('keep 8 days') !== undefined);
  button('Save')?.click();
  await waitUntil(() => server.seen.length === 1);
  expect(server.seen[0]?.body).toEqual({ days: 8 });
});

test('errors that a renderer does not display are shown below it', async () => {
  const server = new FakeServer().on('PUT', PATH, problem(400, 'no', [{ pointer: '/days', message: 'too long' }]));
  const schema = {
    type: 'object',
    properties: { days: { type: 'integer' } },
    'ui:field': 'acme-contracts:plugin.period'
  };
  await form(schema, { days: 7 }, server);
  button('keep 7 days')?.click();
  button('Save')?.click();
  await waitUntil(() => alerts().length > 0);
  expect(alerts()).toEqual(['/days: too long']);
});

test('annotations choose renderers and the order of properties', async () => {
  const schema = {
    type: 'object',
    'ui:order': ['quality', 'retention'],
    properties: {
      owner: { title: 'Owner', type: 'string' },
      retention: { type: 'object', properties: {}, uihints: { 'ui:field': 'acme-contracts:plugin.period' } },
      quality: { title: 'Quality', type: 'integer', 'ui:widget': 'acme-contracts:plugin.stars' },
      terms: { title: 'Terms', type: 'string', 'ui:widget': 'textarea', 'ui:placeholder': 'Terms of use' }
    }
  };
  await form(schema, { quality: 4, retention: { days: 3 } });
  const controls = [...document.querySelectorAll('form input, form textarea, form button')];
  expect(controls.map(item => item.getAttribute('type') ?? item.tagName)).toEqual([
    'range',
    'button',
    'text',
    'TEXTAREA',
    'submit',
    'button'
  ]);
  expect(labels()).toEqual(['Quality', 'Owner', 'Terms']);
  expect(button('keep 3 days')).toBeDefined();
  expect(document.querySelector('textarea')?.placeholder).toBe('Terms of use');
});

test('a custom field gets label, help and errors of the form', async () => {
  const days = {
    title: 'Days',
    description: 'Kept',
    type: 'integer',
    maximum: 5,
    'ui:field': 'acme-contracts:plugin.days'
  };
  await form({ type: 'object', properties: { days } }, { days: 9 });
  button('Save')?.click();
  await waitUntil(() => alerts().length > 0);
  expect([labels(), alerts()]).toEqual([['Days'], ['At most 5.']]);
  const control = document.getElementById(
    document.querySelector('form label')?.getAttribute('for') ?? ''
  ) as HTMLInputElement;
  expect(control.value).toBe('9');
});

test('unknown renderers fall back to the default', async () => {
  const schema = {
    type: 'object',
    'ui:field': 'none:such',
    'ui:ObjectFieldTemplate': 'iframe',
    properties: {
      name: { title: 'Name', type: 'string', 'ui:widget': 'updown', 'ui:FieldTemplate': 'iframe' },
      parts: {
        title: 'Parts',
        type: 'array',
        items: { type: 'object' },
        'ui:options': { ArrayFieldTemplate: 'iframe' }
      }
    }
  };
  await form(schema, { name: 'x', parts: [] });
  expect(document.querySelector('iframe')).toBeNull();
  expect(labels()).toEqual(['Name']);
  expect(document.querySelector<HTMLInputElement>('form input')?.value).toBe('x');
  expect(document.querySelector('form legend')?.textContent).toBe('Parts');
});

test('annotated nested properties have fields, others stay JSON', async () => {
  const item = { type: 'object', properties: { url: { title: 'Address', type: 'string' } } };
  const schema = {
    type: 'object',
    properties: {
      links: { title: 'Links', type: 'array', items: item, 'ui:options': { orderable: false } },
      others: { title: 'Others', type: 'array', items: item }
    }
  };
  await form(schema, { links: [{ url: 'https://a.test' }], others: [{ url: 'b' }] });
  expect(labels()).toEqual(['Address', 'Others']);
  expect(document.querySelector<HTMLInputElement>('form input')?.value).toBe('https://a.test');
  expect(JSON.parse(document.querySelector('textarea')?.value ?? '')).toEqual([{ url: 'b' }]);
});
