import { expect, test } from 'vitest';
import { copyInstance } from '../../../src/model/instances/copy-instance';
import { snippetNamed } from '../../support/instances';

test('a copy has another display name and no name', () => {
  const { document, omittedSecrets } = copyInstance(snippetNamed('a'), 'A (copy)');
  expect(document).toMatchObject({ display_name: 'A (copy)', schema_name: 'code-snippet' });
  expect(document).not.toHaveProperty('name');
  expect(omittedSecrets).toBe(false);
});

test('a copy contains no secrets', () => {
  const metadata = { user: 'ada', password: { $secret: true }, list: [{ key: { $secret: true } }, { $secret: true }] };
  const { document, omittedSecrets } = copyInstance(snippetNamed('a', { metadata }), 'A (copy)');
  expect(document.metadata).toEqual({ user: 'ada', list: [{}] });
  expect(omittedSecrets).toBe(true);
});
