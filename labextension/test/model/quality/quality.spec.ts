import { expect, test } from 'vitest';
import type { Entity } from '../../../src/generated/api';
import { createCheckCode } from '../../../src/model/quality/check-code';
import { listChecks, summarizeChecks } from '../../../src/model/quality/quality';
import { entityOf, table } from '../../support/server';

function describe(aspects: Record<string, object>): Entity {
  const entity = entityOf('orders', {});
  const user = entity.aspects['businessMetadata']!;
  return {
    ...entity,
    aspects: Object.fromEntries(Object.entries(aspects).map(([name, value]) => [name, { ...user, name, value }]))
  };
}

test('checks that fail come first, and those without an expectation are listed', () => {
  const passed = { status: 'passed', time: 1 };
  const entity = describe({
    expectations: {
      expectations: {
        a: { kind: 'notNull', column: 'a' },
        b: { kind: 'unique', column: 'b' },
        c: { kind: 'rowCount', min: 1 }
      }
    },
    quality: { results: { a: passed, b: { status: 'failed', time: 1 }, job: passed } }
  });
  const checks = listChecks(entity);
  expect(checks.map(({ id }) => id)).toEqual(['b', 'c', 'a', 'job']);
  expect(summarizeChecks(checks)).toEqual({
    status: 'failing',
    passed: 2,
    failed: 1,
    errors: 0,
    warnings: 0,
    unchecked: 1
  });
});

test('a failure of the severity warning is a warning, after those that fail', () => {
  const failed = { status: 'failed', time: 1 };
  const a = { kind: 'notNull', column: 'a', severity: 'warning' };
  const checks = listChecks(
    describe({ expectations: { expectations: { a } }, quality: { results: { a: failed, job: failed } } })
  );
  expect(checks.map(({ id }) => id)).toEqual(['job', 'a']);
  expect(summarizeChecks(checks)).toMatchObject({ status: 'failing', failed: 1, warnings: 1 });
  expect(summarizeChecks(checks.slice(1))?.status).toBe('warning');
});

test('without a result, the quality is unknown; without checks there is none', () => {
  const expected = describe({ expectations: { expectations: { a: { kind: 'notNull', column: 'a' } } } });
  expect(summarizeChecks(listChecks(expected))?.status).toBe('unknown');
  expect(summarizeChecks(listChecks(describe({})))).toBeNull();
});

test('the code loads a table of Spark, and names the dataset', () => {
  const code = createCheckCode(entityOf('orders', {}));
  expect(code).toContain('orders = spark.table("flights.orders")');
  expect(code).toContain(`metadata.check(orders, "${table('orders')}")`);
});
