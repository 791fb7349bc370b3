import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import type { Aspect, Entity } from '../../../../src/generated/api';
import type { EntityPanel } from '../../../../src/panels/entity';
import { createEntityPage } from '../../../support/entity-page';
import { entityOf, FakeServer, PEOPLE, table } from '../../../support/server';
import { waitUntil } from '../../../support/wait-until';

const TREES = 'urn:li:mlModel:(urn:li:dataPlatform:colophon,flights.delays.trees,PROD)';
const TRAINING = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,analytics-delays,flights),spark.model-trees)';
const ASPECTS = {
  mlModelProperties: {
    type: 'random-forest-classifier',
    trainingMetrics: [{ name: 'accuracy', value: '0.912345678', description: 'of the test part' }, { name: 'auc' }],
    hyperParams: [
      { name: 'numTrees', value: '20' },
      { name: 'impurity', value: 'gini' }
    ],
    trainingJobs: [TRAINING]
  },
  mlModelTrainingData: { trainingData: [{ dataset: table('train') }] }
};
let panel: EntityPanel | null = null;

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function describe(aspects: Record<string, object>): Entity {
  const entity = entityOf('trees', { properties: {}, tags: [] });
  const own = Object.entries(aspects).map(([name, value]): [string, Aspect] => [
    name,
    { ...entity.aspects['businessMetadata']!, name, value, scope: 'SYSTEM' }
  ]);
  return { ...entity, urn: TREES, type: 'mlModel', aspects: { ...entity.aspects, ...Object.fromEntries(own) } };
}

async function show(entity: Entity, open: (urn: string) => void): Promise<HTMLElement> {
  const server = new FakeServer()
    .on('GET', `entities/${TREES}`, { body: entity })
    .on('GET', 'registry/mlModel', { body: { type: 'mlModel', title: 'M', keyAspect: 'k', aspects: [PEOPLE] } })
    .on('GET', 'me', { body: { user: {}, via: null, scopes: ['read'], version: '0' } });
  panel = createEntityPage(server, TREES, { open });
  Widget.attach(panel, document.body);
  await waitUntil(() => document.querySelector('.jp-Colophon-overview') !== null);
  return panel.node;
}

test('a model shows its algorithm, metrics and parameters, and leads to its data and to its training', async () => {
  const opened: string[] = [];
  const node = await show(describe(ASPECTS), urn => opened.push(urn));
  const section = node.querySelector<HTMLElement>('section[aria-label="Model"]')!;
  const readRows = (label: string): string[][] =>
    [...section.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map(row =>
      [...row.children].map(cell => cell.textContent)
    );
  expect(section.querySelector('dd')?.textContent).toBe('random-forest-classifier');
  expect(readRows('Metrics')).toEqual([
    ['accuracy', '0.9123', 'of the test part'],
    ['auc', '', '']
  ]);
  expect(section.querySelector('td')?.title).toBe('0.912345678');
  expect(readRows('Parameters')).toEqual([
    ['numTrees', '20'],
    ['impurity', 'gini']
  ]);
  section.querySelectorAll<HTMLElement>('.jp-Colophon-link').forEach(link => link.click());
  expect(opened).toEqual([table('train'), TRAINING]);
  const tabs = [...node.querySelectorAll('[role="tab"]')].map(tab => tab.textContent);
  expect(tabs.slice(0, 3)).toEqual(['Overview', 'Lineage', 'Runs']);
});

test('a model of which nothing is recorded has no section', async () => {
  const node = await show(describe({ mlModelProperties: { description: 'A model' } }), () => undefined);
  expect(node.querySelector('section[aria-label="Model"]')).toBeNull();
});
