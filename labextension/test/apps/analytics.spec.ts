import { nullTranslator } from '@jupyterlab/translation';
import { afterEach, expect, test, vi } from 'vitest';
import type { IJob, IModel } from '../../apps/analytics/documents';
import { sortModels } from '../../apps/analytics/model-table';
import { activate } from '../../apps/analytics/panel';
import { getDefaults, readParameters } from '../../apps/analytics/parameters';
import type { IPanelContext } from '../../src/tokens';
import { clickButton, findButton } from '../support/buttons';
import { fillField } from '../support/fields';
import { waitUntil } from '../support/wait-until';

const EXPERIMENTS = '/v2/contexts/{context}/experiments';
const EXPERIMENT = {
  ...{ name: 'churn', description: '', problemType: 'classification', splits: 1, models: 2, createdBy: 'ada' },
  source: { path: '/data/churn.csv', dataset: 'urn:li:dataset:churn' },
  outcome: { name: 'churned', type: 'categorical' },
  ...{ predictors: [{ name: 'age', type: 'numeric' }], createdMs: 1 }
};
const JOB: Omit<IJob, 'name'> = { state: 'complete', progress: '', problem: '', lineageProblem: '', createdMs: 1 };
const PART = { count: 4, nulls: 0, distinct: 2, topValues: [{ value: 'yes', count: 4 }] };
const SPLIT = {
  ...{ ...JOB, name: 'half', type: 'random', trainFraction: 0.5, seed: 1 },
  ...{ train: { rows: 4, dataset: 'urn:train' }, test: { rows: 4, dataset: 'urn:test' } }
};
const STATISTICS = {
  ...{ column: 'churned', type: 'categorical', train: PART, test: { ...PART, topValues: [{ value: 'no', count: 4 }] } },
  similarity: { test: 'chi-squared', statistic: 8, pValue: 0.001, similar: false }
};

function createModel(name: string, f1: number): IModel {
  return {
    ...{ ...JOB, name, description: '', split: 'half', algorithm: 'trees', parameters: {} },
    ...{ metrics: { f1, auc: f1 }, trainMetrics: { f1: 1 }, entity: `urn:${name}` },
    evaluation: {
      ...{
        classes: ['no', 'yes'],
        confusion: [
          [3, 1],
          [0, 4]
        ]
      },
      roc: [
        { fpr: 0, tpr: 0 },
        { fpr: 0, tpr: 1 },
        { fpr: 1, tpr: 1 }
      ]
    },
    ...{ importances: [{ feature: 'age', value: 0.7 }], importanceKind: 'importance' }
  };
}

/** The documents of the application by their paths; tests change them. */
let documents: Record<string, unknown> = {};
let calls: [string, string, unknown][] = [];
let controller = new AbortController();
let cleanUp: (() => void) | null = null;
/** Whether the user may delete something. */
let deletion = { allowed: true, reason: '' };
const opened: string[] = [];

async function open(): Promise<HTMLElement> {
  documents = {
    [EXPERIMENTS]: { experiments: [EXPERIMENT] },
    '/v2/contexts/{context}/algorithms': { algorithms: [] },
    [`${EXPERIMENTS}/churn/splits`]: { splits: [SPLIT] },
    [`${EXPERIMENTS}/churn/splits/half`]: { ...SPLIT, statistics: [STATISTICS] },
    [`${EXPERIMENTS}/churn/models`]: { models: [createModel('trees', 0.9), createModel('line', 0.8)] },
    [`${EXPERIMENTS}/churn/models/trees`]: createModel('trees', 0.9),
    [`${EXPERIMENTS}/churn/models/line`]: createModel('line', 0.8)
  };
  const element = document.createElement('div');
  document.body.append(element);
  const context = {
    ...{ element, app: 'analytics', namespace: 'shop', signal: controller.signal, translator: nullTranslator },
    metadata: {
      ...{ openEntity: (urn: string) => opened.push(urn), openLineage: (urn: string) => opened.push(urn) },
      call: () => Promise.resolve(deletion)
    },
    call: (method: string, path: string, body?: unknown) => {
      calls.push([method, path, body]);
      const answer = documents[path];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    }
  } as unknown as IPanelContext;
  cleanUp = await activate(context);
  return element;
}

afterEach(() => {
  vi.useRealTimers();
  controller.abort();
  controller = new AbortController();
  cleanUp?.();
  calls = [];
  deletion = { allowed: true, reason: '' };
  opened.length = 0;
  document.body.replaceChildren();
});

function hasText(text: string): boolean {
  return document.body.textContent?.includes(text) === true;
}

function find(selector: string): HTMLElement | null {
  return document.body.querySelector<HTMLElement>(selector);
}

async function openExperiment(): Promise<void> {
  await open();
  await waitUntil(() => hasText('churn'));
  await clickButton('churn');
  await waitUntil(() => hasText('trees'));
}

test('two models are compared by metrics, ROC curves, confusion matrices and importances', async () => {
  await openExperiment();
  for (const name of ['trees', 'line']) {
    find(`[aria-label="Compare ${name}"]`)?.click();
  }
  await waitUntil(() => find('[aria-label="Comparison"]') !== null);
  const labels = [...document.querySelectorAll('[aria-label="Comparison"] svg[role="img"]')].map(chart =>
    chart.getAttribute('aria-label')
  );
  expect(labels).toContain('ROC curve of the class yes. trees: area 0.9; line: area 0.8');
  expect(labels).toContain('Metrics of the test part. F1: trees 0.9, line 0.8; Area under ROC: trees 0.9, line 0.8');
  expect(labels).toContain('Importances of line. age: 0.7');
  expect(hasText('Confusion matrix of trees')).toBe(true);
});

test('the statistics of a split warn of columns that differ, and open its parts', async () => {
  await openExperiment();
  await clickButton('half');
  await waitUntil(() => hasText('The parts differ in churned'));
  expect(find('svg[aria-label^="churned in the test part. yes: 0; no: 4"]')).not.toBeNull();
  await clickButton('Show the test part');
  expect(opened).toEqual(['urn:test']);
});

test('an experiment is deleted after a confirmation', async () => {
  await openExperiment();
  await clickButton('Delete churn');
  await waitUntil(() => hasText('Delete churn with its splits and models?'));
  findButton('Delete churn with its splits and models?')?.dispatchEvent(
    new MouseEvent('click', { bubbles: true, detail: 2 })
  );
  expect(calls.some(([method]) => method === 'DELETE')).toBe(false);
  await clickButton('Delete churn with its splits and models?');
  await waitUntil(() => hasText('Deleted the experiment churn'));
  expect(calls.filter(([method]) => method === 'DELETE')).toEqual([['DELETE', `${EXPERIMENTS}/churn`, undefined]]);
});

test('without the right to delete, no button deletes, and the reason is shown', async () => {
  deletion = { allowed: false, reason: 'the role of ada is editor' };
  await openExperiment();
  await waitUntil(() => hasText('you need the right "delete" (the role of ada is editor)'));
  expect(findButton('Delete churn')).toBeUndefined();
  expect(findButton('Delete half')).toBeUndefined();
  expect(findButton('Delete trees')).toBeUndefined();
});

test('a file that is refused is explained at its field, and its columns are read by the next try', async () => {
  await open();
  await waitUntil(() => hasText('churn'));
  await clickButton('New experiment');
  await waitUntil(() => find('form') !== null);
  fillField('Name', 'other');
  fillField('Data', 'a.csv');
  const inspect = '/v2/contexts/{context}/inspect';
  const message = "source/path: there is neither a file nor a folder 'a.csv'";
  documents[inspect] = Object.assign(new Error(message), { status: 400 });
  await clickButton('Read columns');
  await waitUntil(() => hasText("there is neither a file nor a folder 'a.csv'"));
  const field = find('[aria-invalid="true"]') as HTMLInputElement;
  expect(field.labels?.[0]?.textContent).toBe('Data');
  expect(field.getAttribute('aria-describedby')).toContain(find('[role="alert"]')?.id);
  expect(hasText('source/path')).toBe(false);
  documents[inspect] = {
    source: { path: '/data/a.csv' },
    columns: [
      { name: 'age', type: 'numeric', distinct: 2, nulls: 0, examples: ['1'] },
      { name: 'left', type: 'categorical', distinct: 2, nulls: 0, examples: ['yes'] }
    ]
  };
  await clickButton('Read columns');
  await waitUntil(() => findButton('Create') !== undefined);
  expect(find('[aria-invalid="true"]')).toBeNull();
  expect(find('[aria-label="Use age as a predictor"]')).not.toBeNull();
});

test('a running job is polled until it ends, and no longer than the tab is open', async () => {
  await open();
  await waitUntil(() => hasText('churn'));
  const models = `${EXPERIMENTS}/churn/models`;
  documents[models] = { models: [{ ...createModel('trees', 0.9), state: 'running', progress: 'fitting' }] };
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await clickButton('churn');
  await waitUntil(() => hasText('fitting') && vi.getTimerCount() > 0);
  documents[models] = { models: [{ ...createModel('trees', 0.9), state: 'failed', problem: 'too few rows' }] };
  await vi.advanceTimersByTimeAsync(2000);
  await waitUntil(() => hasText('failed: too few rows') && hasText('trees failed: too few rows'));
  documents[models] = { models: [{ ...createModel('trees', 0.9), state: 'running' }] };
  await clickButton('All experiments');
  await waitUntil(() => hasText('New experiment'));
  await clickButton('churn');
  await waitUntil(() => hasText('running'));
  controller.abort();
  const before = calls.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(calls).toHaveLength(before);
});

test('models are sorted by a metric, with those that have none at the end', () => {
  const models = [createModel('a', 0.2), { ...createModel('b', 0), metrics: null }, createModel('c', 0.9)];
  const getNames = (descending: boolean): string[] =>
    sortModels(models, { by: 'f1', descending }).map(({ name }) => name);
  expect(getNames(true)).toEqual(['c', 'a', 'b']);
  expect(getNames(false)).toEqual(['a', 'c', 'b']);
});

test('parameters are read by the types of their schemas', () => {
  const text = { title: '', description: '' };
  const schemas = {
    depth: { ...text, type: 'integer', default: 5 },
    fit: { ...text, type: 'boolean', default: true },
    kind: { ...text, type: 'string', default: 'gini', enum: ['gini', 'entropy'] }
  } as const;
  const entered = { ...getDefaults(schemas), depth: '7' };
  expect(readParameters(schemas, entered)).toEqual({ depth: 7, fit: true, kind: 'gini' });
});
