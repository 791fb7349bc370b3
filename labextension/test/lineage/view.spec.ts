import { beforeEach, expect, test } from 'vitest';
import { countAges } from '../../src/lineage/colouring';
import type { ILabels } from '../../src/lineage/cards';
import { mergeAnswers } from '../../src/lineage/graph';
import { computeLayout } from '../../src/lineage/layout';
import { toDigraph, createScene } from '../../src/lineage/scene';
import { LineageView, NO_HIGHLIGHT } from '../../src/lineage/view';
import { cell, lineageOf, table } from '../support/server';

const WORDS: ILabels = {
  graph: 'graph',
  getName: node => node.name,
  getPlace: node => node.namespace,
  describe: node => node.name,
  deleted: 'deleted',
  expand: (_, side) => side,
  collapse: (_, side) => `hide ${side}`,
  toggleColumns: () => 'columns',
  describeColumn: (_, field) => field,
  moreColumns: count => `+ ${count}`,
  noColumns: 'none'
};

let host: HTMLElement;
let done: string[];
let view: LineageView;

beforeEach(() => {
  host = document.createElement('div');
  // jsdom has no layout.
  Object.defineProperties(host, { clientWidth: { value: 1000 }, clientHeight: { value: 600 } });
  document.body.replaceChildren(host);
  // jsdom has no canvas; painting is tested in the browser.
  HTMLCanvasElement.prototype.getContext = () => null;
  done = [];
  view = new LineageView(host, WORDS, {
    selectNode: urn => done.push(`pick ${urn}`),
    selectEdge: edge => done.push(`edge ${edge.source}`),
    clearSelection: () => done.push('nothing'),
    open: urn => done.push(`open ${urn}`),
    expand: (urn, side) => done.push(`expand ${urn} ${side}`),
    collapse: (urn, side) => done.push(`collapse ${urn} ${side}`),
    openGroup: urn => done.push(`group ${urn}`),
    selectColumn: column => done.push(`column ${column?.field ?? 'none'}`),
    toggleColumns: urn => done.push(`columns ${urn}`),
    showMoreColumns: urn => done.push(`more ${urn}`)
  });
});

function show(...edges: [string, string][]): void {
  const graph = mergeAnswers([lineageOf(table('b'), edges, { [table('a')]: [2, 0] })]);
  view.show(createScene(graph, computeLayout(toDigraph(graph))));
}

/** Sets the position of a node on the screen. */
function leftOf(urn: string): number {
  const [x, scale] = /translate\((-?[\d.]+)px.*scale\(([\d.]+)\)/
    .exec(host.querySelector<HTMLElement>('.jp-Colophon-cards')?.style.transform ?? '')
    ?.slice(1)
    .map(Number) as [number, number];
  return x + scale * Number(/translate\((-?[\d.]+)px/.exec(main(urn).parentElement?.style.transform ?? '')?.[1]);
}

function main(urn: string): HTMLElement {
  const result = [...host.querySelectorAll<HTMLElement>('.jp-Colophon-node')].find(node => node.dataset['urn'] === urn);
  return result?.firstElementChild as HTMLElement;
}

function press(urn: string, key: string): void {
  main(urn).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
}

test('every node is a named button, one of them a tab stop', () => {
  show([table('a'), cell('p')], [cell('p'), table('b')]);
  expect(host.dataset).toMatchObject({ nodes: '3', edges: '2' });
  const cards = [...host.querySelectorAll('.jp-Colophon-card')];
  expect(cards.map(card => card.getAttribute('aria-label')).sort()).toEqual([cell('p'), table('a'), table('b')].sort());
  expect(cards.filter(card => (card as HTMLElement).tabIndex === 0)).toEqual([main(table('b'))]);
});

test('click selects, double click opens, plus expands', () => {
  show([table('a'), cell('p')], [cell('p'), table('b')]);
  main(table('a')).click();
  main(table('a')).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
  host.querySelector<HTMLElement>('.jp-Colophon-expand')?.click();
  expect(done).toEqual([`pick ${table('a')}`, `open ${table('a')}`, `expand ${table('a')} upstream`]);
});

test('arrow keys move the focus along edges, Enter opens', () => {
  show([table('a'), cell('p')], [cell('p'), table('b')]);
  press(table('b'), 'ArrowLeft');
  expect(document.activeElement).toBe(main(cell('p')));
  press(cell('p'), 'Home');
  expect(document.activeElement).toBe(main(table('a')));
  press(table('a'), 'Enter');
  press(table('a'), '[');
  expect(done).toEqual([
    `pick ${cell('p')}`,
    `pick ${table('a')}`,
    `open ${table('a')}`,
    `expand ${table('a')} upstream`
  ]);
});

test('a focused node keeps the focus when the graph grows', async () => {
  show([table('a'), cell('p')], [cell('p'), table('b')]);
  press(table('b'), 'ArrowLeft');
  show([table('a'), cell('p')], [table('x'), cell('p')], [cell('p'), table('b')]);
  await Promise.resolve();
  expect(document.activeElement).toBe(main(cell('p')));
});

test('names are rendered as text', () => {
  const evil = 'urn:li:dataset:<img src=x onerror=alert(1)>';
  show([evil, table('b')]);
  expect(host.querySelector('img')).toBeNull();
  expect(main(evil).textContent).toContain('<img');
});

test('a disposed view draws nothing', () => {
  show([table('a'), table('b')]);
  view.dispose();
  view.fit();
  expect(host.children).toHaveLength(0);
});

test('new nodes of an expansion are brought into view', () => {
  show([table('a'), table('b')]);
  view.zoom(8);
  const graph = mergeAnswers([
    lineageOf(
      table('b'),
      [
        [table('x'), table('a')],
        [table('a'), table('b')]
      ],
      {}
    )
  ]);
  view.show(createScene(graph, computeLayout(toDigraph(graph))), table('a'));
  expect(leftOf(table('x'))).toBeGreaterThanOrEqual(0);
  expect(leftOf(table('a'))).toBeLessThan(1000);
});

test('a moved drawing stays in place when the graph grows elsewhere', () => {
  show([table('a'), table('b')]);
  view.zoom(2);
  const before = leftOf(table('b'));
  show([table('x'), table('a')], [table('a'), table('b')]);
  expect(leftOf(table('b'))).toBeCloseTo(before);
});

test('the wheel zooms, and scrolls sideways with Shift', () => {
  show([table('a'), table('b')]);
  const getTransform = (): string => host.querySelector<HTMLElement>('.jp-Colophon-cards')?.style.transform ?? '';
  const getScale = (): string => /scale\(([\d.]+)\)/.exec(getTransform())?.[1] ?? '';
  const scale = getScale();
  const left = leftOf(table('b'));
  host.dispatchEvent(new WheelEvent('wheel', { deltaY: 50, shiftKey: true }));
  view.refreshColours();
  expect([leftOf(table('b')), getScale()]).toEqual([left - 50, scale]);
  host.dispatchEvent(new WheelEvent('wheel', { deltaY: 50 }));
  view.refreshColours();
  expect(Number(getScale())).toBeLessThan(Number(scale));
});

test('nodes that others added, and nodes off a path, are marked', () => {
  show([table('a'), cell('p')], [cell('p'), table('b')]);
  const path = new Set([table('a'), cell('p')]);
  view.highlight({ ...NO_HIGHLIGHT, news: new Set([table('a')]), path });
  const list = (name: string): string[] =>
    [...host.querySelectorAll<HTMLElement>(`.${name}`)].map(node => node.dataset['urn'] ?? '');
  expect([list('jp-mod-new'), list('jp-mod-faded')]).toEqual([[table('a')], [table('b')]]);
});

test('ages are counted from the newest to the oldest', () => {
  const now = '2026-11-26T12:00:00.000Z';
  const times = ['2026-11-01T12:00:00.000Z', '2026-11-26T11:59:00.000Z', undefined, '2026-11-26T11:30:00.000Z'];
  expect(countAges(times, now)).toEqual([
    { name: 'hour', count: 2 },
    { name: 'month', count: 1 }
  ]);
});
