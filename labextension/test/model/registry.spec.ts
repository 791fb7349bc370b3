import { expect, test } from 'vitest';
import { Registry } from '../../src/model/registry';

test('items are in the order of their ranks, then as they were added', () => {
  const registry = new Registry<{ id: string; rank: number }>();
  registry.add({ id: 'last', rank: 30 });
  registry.add({ id: 'first', rank: 10 });
  registry.add({ id: 'second', rank: 10 });
  expect(registry.items.map(({ id }) => id)).toEqual(['first', 'second', 'last']);
});

test('an item is removed by disposing of what add returned', () => {
  const registry = new Registry<{ id: string; rank: number }>();
  let changes = 0;
  registry.changed.connect(() => changes++);
  const added = registry.add({ id: 'a', rank: 1 });
  added.dispose();
  added.dispose();
  expect([registry.items, changes]).toEqual([[], 2]);
});

test('an id is unique', () => {
  const registry = new Registry<{ id: string; rank: number }>();
  registry.add({ id: 'a', rank: 1 });
  expect(() => registry.add({ id: 'a', rank: 2 })).toThrow("'a'");
});
