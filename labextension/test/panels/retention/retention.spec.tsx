import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { RetentionRule } from '../../../src/generated/api';
import { RetentionModel, RetentionPanel } from '../../../src/panels/retention';
import { formatSetting } from '../../../src/panels/retention/model';
import { clickButton, findButton } from '../../support/buttons';
import { fillField, findField } from '../../support/fields';
import { FakeServer, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const SALES: RetentionRule = {
  ...{ namespace: 'sales', entity: 'dataset', aspect: 'businessMetadata' },
  maxVersions: 20,
  maxAgeInSeconds: null
};
const ALL: RetentionRule = {
  ...{ namespace: '*', entity: '*', aspect: '*' },
  maxVersions: null,
  maxAgeInSeconds: 90 * 86_400
};
const PLACE = { namespace: 'sales', type: 'dataset', aspect: 'businessMetadata' };
const TYPES = [
  { type: 'dataset', title: 'Dataset', keyAspect: 'datasetKey', aspects: ['datasetKey', 'businessMetadata'] },
  { type: 'acme', title: 'Acme', keyAspect: 'acmeKey', aspects: ['acmeKey', 'acmeFacts'] }
];

let panel: RetentionPanel | null = null;
const done: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  done.length = 0;
});

function server(rules: RetentionRule[] = [SALES, ALL]): FakeServer {
  const first = { expired: [{ ...PLACE, versions: 2 }], cursor: '1' };
  const last = { expired: [{ ...PLACE, versions: 3 }], cursor: null };
  return new FakeServer()
    .on('GET', 'retention', { body: { rules, changeLogDays: 365 } })
    .on('GET', 'registry', { body: { types: TYPES } })
    .on('POST', 'retention', ({ query }) => ({
      body: { dryRun: query.get('dryRun') === 'true', ...(query.has('cursor') ? last : first) }
    }))
    .on('POST', 'retention/preview', ({ query }) => ({
      body: { dryRun: true, ...(query.has('cursor') ? last : first) }
    }));
}

function open(backend: FakeServer, isConfirmed = true): RetentionModel {
  const ask = (question: string): Promise<boolean> => {
    done.push(question);
    return Promise.resolve(isConfirmed);
  };
  const model = new RetentionModel(new Catalog(backend.settings));
  const actions = {
    confirmDeletion: (versions: number) => ask(`delete ${versions}`),
    confirmDiscard: () => ask('discard'),
    copy: (setting: string) => void done.push(setting)
  };
  panel = new RetentionPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  return model;
}

function listOptions(label: string): string[] {
  const field = findField(label);
  return field instanceof HTMLSelectElement ? [...field.options].map(({ value }) => value) : [];
}

function hasText(text: string): boolean {
  return document.body.textContent?.includes(text) === true;
}

function cells(table: string): (string | null)[][] {
  const rows = document.querySelectorAll(`table[aria-label="${table}"] tbody tr`);
  return [...rows].map(item => [...item.querySelectorAll('td')].map(cell => cell.textContent));
}

test('rules are listed with their limits, and how long changes are kept', async () => {
  open(server());
  await waitUntil(() => cells('Rules').length > 0);
  expect(cells('Rules')).toEqual([
    ['sales', 'dataset', 'businessMetadata', '20', 'no limit'],
    ['any', 'any', 'any', 'no limit', '90 days']
  ]);
  expect(hasText('kept for 365 days')).toBe(true);
});

test('expired versions are counted in steps, and deleted after a confirmation', async () => {
  const backend = server();
  const model = open(backend);
  await clickButton('Count expired versions');
  await waitUntil(() => hasText('5 versions have expired.'));
  expect(cells('Versions by namespace, entity type and aspect')).toEqual([
    ['sales', 'dataset', 'businessMetadata', '5']
  ]);
  expect(backend.seen.filter(({ method }) => method === 'POST').map(({ query }) => query.get('dryRun'))).toEqual([
    'true',
    'true'
  ]);
  await clickButton('Delete them now…');
  await waitUntil(() => hasText('5 versions were deleted.'));
  expect([done, model.state.expiry?.kind]).toEqual([['delete 5'], 'deletion']);
  expect(backend.seen.at(-1)?.query.get('dryRun')).toBe('false');
  expect(findButton('Delete them now…')).toBeUndefined();
});

test('nothing is deleted without the confirmation', async () => {
  const backend = server();
  open(backend, false);
  await clickButton('Count expired versions');
  await clickButton('Delete them now…');
  await waitUntil(() => done.length > 0);
  expect(backend.seen.some(({ query }) => query.get('dryRun') === 'false')).toBe(false);
});

test('a copy of the rules is edited, previewed and formatted for the configuration', async () => {
  const backend = server();
  const model = open(backend);
  await clickButton('Edit a copy of the rules…');
  await clickButton('Remove the rule for any, any, any');
  await clickButton('New rule');
  await waitUntil(() => listOptions('Aspect').includes('businessMetadata'));
  // A place that has a rule is refused.
  fillField('Namespace', 'sales');
  fillField('Entity type', 'dataset');
  fillField('Aspect', 'businessMetadata');
  await waitUntil(() => hasText('There is a rule for this namespace, entity type and aspect.'));
  await clickButton('Apply');
  expect(model.state.draft).toEqual([SALES]);
  fillField('Namespace', 'hr');
  fillField('Days for which a version is kept after it was replaced', '0.5');
  await waitUntil(() => !hasText('There is a rule for this'));
  await clickButton('Apply');
  await waitUntil(() => model.state.draft?.length === 2);
  const added = { ...SALES, namespace: 'hr', maxVersions: null, maxAgeInSeconds: 43_200 };
  expect(model.state.draft).toEqual([SALES, added]);
  await clickButton('Count what they would delete');
  await waitUntil(() => hasText('5 versions would be deleted.'));
  const previews = backend.seen.filter(({ path }) => path === 'retention/preview');
  expect(previews.map(({ body }) => body)).toEqual(Array(2).fill({ rules: [SALES, added] }));
  await clickButton('Copy the setting');
  expect(done).toEqual([formatSetting([SALES, added])]);
  // The count was of other rules.
  await clickButton('Remove the rule for hr, dataset, businessMetadata');
  await waitUntil(() => !hasText('would be deleted.'));
  expect(backend.seen.some(({ method, path }) => method === 'POST' && path === 'retention')).toBe(false);
});

test('an edited rule keeps what the form does not show, and the aspects follow the type', async () => {
  const model = open(server([{ ...ALL, entity: 'gone', aspect: 'unknown', maxAgeInSeconds: 3_601 }]));
  await clickButton('Edit a copy of the rules…');
  await clickButton('Edit the rule for any, gone, unknown');
  await waitUntil(() => model.state.types.length > 0 && findField('Aspect') !== null);
  expect(listOptions('Aspect')).toEqual(['*', 'unknown']);
  await clickButton('Apply');
  await waitUntil(() => findField('Aspect') === null);
  expect([model.isDirty, model.state.draft?.[0]?.maxAgeInSeconds]).toEqual([false, 3_601]);
  const getFocusedName = (): unknown => document.activeElement?.ariaLabel ?? document.activeElement?.textContent;
  await waitUntil(() => getFocusedName() === 'Edit the rule for any, gone, unknown');
  await clickButton('New rule');
  await clickButton('Cancel');
  await waitUntil(() => getFocusedName() === 'New rule');
  await clickButton('Edit the rule for any, gone, unknown');
  await waitUntil(() => findField('Aspect') !== null);
  fillField('Entity type', 'acme');
  await waitUntil(() => listOptions('Aspect').includes('acmeFacts'));
  expect(listOptions('Aspect')).not.toContain('acmeKey');
});

test('edited rules are discarded only after a confirmation', async () => {
  const model = open(server(), false);
  await clickButton('Edit a copy of the rules…');
  await clickButton('Remove the rule for any, any, any');
  expect(panel?.isDirty).toBe(true);
  await clickButton('Close');
  await waitUntil(() => done.includes('discard'));
  expect(model.state.draft).toEqual([SALES]);
  panel?.dispose();
  const other = open(server());
  await clickButton('Edit a copy of the rules…');
  await clickButton('Close');
  await waitUntil(() => other.state.draft === null);
  expect(done).toEqual(['discard']);
});

test('the setting is valid Python, with what the rules name', () => {
  expect(formatSetting([SALES, { ...ALL, maxAgeInSeconds: null }])).toBe(
    `c.Colophon.retention = [
    {"namespace":"sales","entity":"dataset","aspect":"businessMetadata","config":{"retention":{"version":{"maxVersions":20}}}},
    {"config":{"retention":{}}},
]
`
  );
});

test('users without the permission get the reason, and nothing else', async () => {
  open(server().on('GET', 'retention', problem(403, 'you may not manage the retention of versions')));
  await waitUntil(() => document.querySelector('[role="alert"]') !== null);
  expect(hasText('you may not manage the retention of versions')).toBe(true);
  expect(findButton('Edit a copy of the rules…')).toBeUndefined();
});
