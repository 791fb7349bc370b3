import { expect, test } from 'vitest';
import { listElements, showElements } from '../../src/mime/page';

function show(elements: object[]): { host: HTMLElement; done: string[] } {
  const host = document.createElement('div');
  const done: string[] = [];
  const actions = {
    openEntity: (urn: string) => done.push(`open ${urn}`),
    search: (query: string) => done.push(`search ${query}`)
  };
  showElements(host, listElements({ elements }) ?? [], actions);
  return { host, done };
}

const HOSTILE = '<img src=x onerror="alert(1)">';

test('names open pages, and tags are searched', () => {
  const urn = 'urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)';
  const name = { text: 'sales.orders', urn };
  const { host, done } = show([
    { kind: 'title', text: name, note: 'two' },
    { kind: 'tags', label: 'tags', words: ['gold', 'two "words"'], key: 'tags' },
    { kind: 'tags', label: 'terms', words: ['Customer'], key: '' },
    { kind: 'table', caption: 'found', columns: ['name', 'touched'], rows: [[name, [name, 'more']]] }
  ]);
  expect(host.querySelector('table')?.textContent).toBe('foundnametouchedsales.orderssales.orders, more');
  const buttons = [...host.querySelectorAll('button')];
  expect(buttons.map(button => button.textContent)).toEqual([
    'sales.orders',
    'gold',
    'two "words"',
    'sales.orders',
    'sales.orders'
  ]);
  buttons.forEach(button => button.click());
  const open = `open ${urn}`;
  expect(done).toEqual([open, 'search tags:gold', 'search tags:"two  words "', open, open]);
});

test('an empty list of tags has a text in place of them', () => {
  const { host } = show([{ kind: 'tags', label: 'tags', words: [], key: 'tags', empty: 'none' }]);
  expect(host.textContent).toBe('tags: none');
});

test('texts are shown as they are, and whatever is not an element is not shown', () => {
  const { host } = show([
    { kind: 'title', text: HOSTILE, note: HOSTILE },
    { kind: 'line', text: HOSTILE },
    { kind: 'text', text: HOSTILE, caption: HOSTILE },
    { kind: 'tags', label: HOSTILE, words: [HOSTILE, 7], key: 'tags' },
    {
      kind: 'table',
      caption: HOSTILE,
      columns: [HOSTILE],
      rows: [[{ text: HOSTILE, urn: HOSTILE }], 'no row', [null]]
    },
    { kind: HOSTILE, text: { urn: 'x' } }
  ]);
  expect(host.querySelectorAll('img')).toHaveLength(0);
  expect(host.textContent).toContain(HOSTILE);
  for (const data of [null, 'x', [], {}, { elements: 'x' }, { elements: [null] }, { elements: ['x'] }]) {
    expect(listElements(data)).toBeNull();
  }
});
