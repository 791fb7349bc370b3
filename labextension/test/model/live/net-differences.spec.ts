import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { addDifferences } from '../../../src/components/differences-sentence';
import type { Change } from '../../../src/generated/api';
import { listNetDifferences } from '../../../src/model/live/net-differences';
import { FakeFeed } from '../../support/feed';
import { column } from '../../support/server';

/** Returns the sentence about changes of the table `a`, as users see it. */
function describeChanges(...parts: Partial<Change>[]): string {
  const feed = new FakeFeed();
  const changes: Change[] = [];
  feed.feed.keepOpen();
  feed.feed.changed.connect((_, added) => changes.push(...added));
  parts.forEach(part => feed.emit('a', part));
  return addDifferences('ben changed a.', listNetDifferences(changes), nullTranslator.load(''));
}

test('what changed is in the sentence, without what was restored', () => {
  const [first, second] = [
    { properties: { owner: 'ops' }, tags: [] },
    { properties: { owner: 'sre' }, tags: ['raw'] }
  ];
  expect(describeChanges({ previous: null, value: first }, { previous: first, value: second })).toBe(
    'ben changed a: owner “sre” added, tags “raw” added'
  );
  expect(describeChanges({ previous: first, value: second })).toBe(
    'ben changed a: owner “sre” changed, tags “raw” added'
  );
  expect(describeChanges({ previous: first, value: second }, { previous: second, value: first })).toBe(
    'ben changed a.'
  );
});

test('columns, domains and glossary terms are named, and more than two differences are counted', () => {
  const domains = { aspect: 'domains', scope: 'SYSTEM', value: { domains: ['urn:li:domain:sales'] } } as const;
  expect(describeChanges(domains)).toBe('ben changed a: domains “sales” added');
  const value = { auditStamp: { time: 1 }, terms: [{ urn: 'urn:li:glossaryTerm:PII' }] };
  const terms = { ...domains, aspect: 'glossaryTerms', urn: column('a', 'amount'), value };
  expect(describeChanges(terms)).toBe('ben changed a: amount › terms “PII” added');
  const fields = ['x', 'y'].map(fieldPath => ({ fieldPath, nullable: true }));
  const schema = { aspect: 'schemaMetadata', scope: 'SYSTEM', previous: { fields, hash: '1' } } as const;
  const after = { fields: [{ fieldPath: 'x', nullable: false }, { fieldPath: 'z' }], hash: '2' };
  expect(describeChanges({ ...schema, value: after })).toBe('ben changed a: x changed, y removed and 1 more change');
});
