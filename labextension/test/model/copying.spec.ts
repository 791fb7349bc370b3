import { expect, test } from 'vitest';
import { copyOf } from '../../src/model/copying';
import { snippetNamed } from '../support/instances';

test('a copy has another display name, and its name is made of that', () => {
  const { document, leftOut } = copyOf(snippetNamed('a'), 'A (copy)');
  expect(document).toMatchObject({ display_name: 'A (copy)', schema_name: 'code-snippet' });
  expect(document).not.toHaveProperty('name');
  expect(leftOut).toBe(false);
});

test('secrets stay behind, wherever they are', () => {
  const metadata = { user: 'ada', password: { $secret: true }, list: [{ key: { $secret: true } }, { $secret: true }] };
  const { document, leftOut } = copyOf(snippetNamed('a', { metadata }), 'A (copy)');
  expect(document.metadata).toEqual({ user: 'ada', list: [{}] });
  expect(leftOut).toBe(true);
});
