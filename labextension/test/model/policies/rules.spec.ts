import { expect, test } from 'vitest';
import { listEffects, readRules } from '../../../src/model/policies/rules';

const VIEWER = { role: 'viewer', to: ['group:analysts'], on: { namespace: ['sales'] } };
const DENIAL = { deny: ['read'], to: ['*', 'group:analysts'], on: { tag: ['secret'] } };

function summarize(before: unknown, after: unknown): unknown[] {
  return listEffects(before, after).map(({ subject, added, removed, kept }) => [
    subject,
    added.length,
    removed.length,
    kept.length
  ]);
}

test('rules are read, and what is invalid in them is left out', () => {
  const [viewer, denial, odd] = readRules({ rules: [VIEWER, DENIAL, 7] });
  expect(viewer).toEqual({
    role: 'viewer',
    denied: [],
    reviewed: [],
    to: ['group:analysts'],
    on: new Map([['namespace', ['sales']]]),
    certified: false
  });
  expect([denial?.role, denial?.denied]).toEqual([null, ['read']]);
  expect(odd).toEqual({ role: null, denied: [], reviewed: [], to: [], on: new Map(), certified: false });
  expect([readRules(null), readRules({ rules: 'none' })]).toEqual([[], []]);
});

test('the effects of a change are listed by whom they concern, the changed ones first', () => {
  const owners = { role: 'contributor', to: ['owner'] };
  const before = { rules: [owners, VIEWER] };
  expect(summarize(null, before)).toEqual([
    ['owner', 1, 0, 0],
    ['group:analysts', 1, 0, 0]
  ]);
  expect(summarize(before, { rules: [owners, DENIAL] })).toEqual([
    ['*', 1, 0, 0],
    ['group:analysts', 1, 1, 0],
    ['owner', 0, 0, 1]
  ]);
});

test('a review of certified entities differs from one of all entities', () => {
  const review = { review: ['annotate'], to: ['*'] };
  expect(summarize({ rules: [review] }, { rules: [{ ...review, on: { certified: true } }] })).toEqual([['*', 1, 1, 0]]);
});

test('the order of values and rules changes nothing, and a disabled policy takes everything away', () => {
  const two = { ...VIEWER, on: { namespace: ['sales', 'hr'] } };
  const swapped = { ...VIEWER, on: { namespace: ['hr', 'sales'] } };
  expect(
    summarize({ rules: [two, DENIAL] }, { rules: [DENIAL, swapped] }).map(effect => (effect as unknown[]).slice(1, 3))
  ).toEqual([
    [0, 0],
    [0, 0]
  ]);
  expect(summarize({ rules: [VIEWER] }, { enabled: false, rules: [VIEWER] })).toEqual([['group:analysts', 0, 1, 0]]);
});
