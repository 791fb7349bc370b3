import { nullTranslator } from '@jupyterlab/translation';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Lineage } from '../../src/generated/api';
import { PLAIN_APPEARANCE } from '../../src/lineage/card-layer';
import { foldGraph } from '../../src/lineage/fold';
import { NO_FOLDING } from '../../src/lineage/folding';
import type { IGraph } from '../../src/lineage/graph';
import { getEdgeId, mergeAnswers } from '../../src/lineage/graph';
import { computeLayout, NODE_WIDTH } from '../../src/lineage/layout';
import type { IScene } from '../../src/lineage/scene';
import { createScene, toDigraph } from '../../src/lineage/scene';
import type { IFileContent } from '../../src/lineage/svg';
import { escapeXml, exportSvg } from '../../src/lineage/svg';
import { shortenUrn } from '../../src/model/urns';
import { createLabels } from '../../src/panels/lineage/labels';
import { createRunBadges } from '../../src/panels/lineage/run-badges';
import { lineageOf, table } from '../support/server';

const TRANS = nullTranslator.load('jupyter_colophon');

function createContent(change: Partial<IFileContent> = {}): IFileContent {
  return {
    title: 'Lineage of shop.revenue',
    labels: createLabels('shop.revenue', TRANS),
    family: 'system-ui,sans-serif',
    measure: null,
    appearance: PLAIN_APPEARANCE,
    fills: new Map(),
    marks: new Map(),
    path: null,
    ...change
  };
}

function toScene(graph: IGraph): IScene {
  return createScene(graph, computeLayout(toDigraph(graph)));
}

function parse(file: string): Document {
  return new DOMParser().parseFromString(file, 'image/svg+xml');
}

/** The kernel draws the same files, for notebooks that are exported or opened without the extension. */
test.each(['chain', 'fan', 'cycle', 'split'])('an exported drawing equals that of the kernel: %s', name => {
  const read = (ending: string): string => readFileSync(`tests/rendering/pictures/${name}.${ending}`, 'utf8');
  const whole = mergeAnswers([JSON.parse(read('json')) as Lineage]);
  const appearance = { ...PLAIN_APPEARANCE, badges: createRunBadges(whole, TRANS) };
  const title = `Lineage of ${shortenUrn(whole.focus)}`;
  const file = exportSvg(toScene(foldGraph(whole, NO_FOLDING)), createContent({ appearance, title }));
  expect(file).toBe(read('svg'));
});

test('labels of an exported drawing are truncated to the measured width', () => {
  const content = createContent({ measure: (text, size) => text.length * size });
  const scene = toScene(mergeAnswers([lineageOf('p', [['W'.repeat(60), 'p']])]));
  const labels = [...parse(exportSvg(scene, content)).querySelectorAll('text')];
  expect(labels).toHaveLength(4);
  for (const label of labels) {
    const end = Number(label.getAttribute('x')) + Number(label.getAttribute('textLength'));
    expect(end).toBeLessThanOrEqual(NODE_WIDTH - 10);
  }
  expect(labels.map(label => label.textContent)).toContainEqual(expect.stringMatching(/^W+…W{5}$/));
});

test('an exported drawing contains all nodes with escaped names', () => {
  const evil = '"/><script>alert(1)</script>\u0000&';
  const file = exportSvg(toScene(mergeAnswers([lineageOf('p', [[evil, 'p']])])), createContent());
  expect(parse(file).querySelector('parsererror')).toBeNull();
  expect(parse(file).querySelectorAll('script')).toHaveLength(0);
  expect(parse(file).querySelectorAll('g[transform]')).toHaveLength(2);
  expect(parse(file).querySelectorAll('path[marker-end]')).toHaveLength(1);
  expect(escapeXml('<a b="c">&')).toBe('&lt;a b=&quot;c&quot;&gt;&amp;');
});

test('an exported drawing shows colours, badges, differences and a path', () => {
  const [a, b, c] = [table('a'), table('b'), table('c')];
  const scene = toScene(
    mergeAnswers([
      lineageOf(b, [
        [a, b],
        [b, c]
      ])
    ])
  );
  const id = getEdgeId({ source: a, target: b });
  const badges = new Map([[a, [{ text: '×3', title: '3 runs' }]]]);
  const file = exportSvg(
    scene,
    createContent({
      appearance: { details: new Map([[a, 'yesterday']]), badges },
      fills: new Map([[a, 'rgb(1, 2, 3)']]),
      marks: new Map([
        [id, 'added'],
        [getEdgeId({ source: b, target: c }), 'changed']
      ]),
      path: new Set([a, b, id])
    })
  );
  const texts = [...parse(file).querySelectorAll('text')].map(text => text.textContent);
  expect(texts).toEqual(expect.arrayContaining(['×3', 'yesterday']));
  expect(parse(file).querySelectorAll('path[fill="rgb(1, 2, 3)"]')).toHaveLength(1);
  // A line and its mark: a plus, and a triangle.
  const listMarks = (colour: string): (string | null)[] =>
    [...parse(file).querySelectorAll(`path[stroke="${colour}"]`)].map(line => line.getAttribute('d'));
  expect(listMarks('#1b5e20')).toEqual([expect.stringContaining('C'), expect.stringMatching(/^(M[^ML]+L[^ML]+){2}$/)]);
  expect(listMarks('#8a4b00')).toEqual([expect.stringContaining('C'), expect.stringMatching(/^M[^M]+(L[^ML]+){3}/)]);
  // The edge to c, and c.
  expect(parse(file).querySelectorAll('[opacity]')).toHaveLength(2);
});
