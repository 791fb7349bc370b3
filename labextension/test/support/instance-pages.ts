import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Instance } from '../../src/generated/api';
import { FakeServer } from './server';

/** A schema of code snippets with the hints of Elyra. */
export const SNIPPET: ReadonlyJSONObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:test:code-snippet',
  title: 'Code Snippet',
  name: 'code-snippet',
  schemaspace: 'code-snippets',
  schemaspace_id: 'aa60988f-8f7c-4d09-a243-c54ef9c2f7fb',
  type: 'object',
  properties: {
    schema_name: { const: 'code-snippet' },
    display_name: { title: 'Name', type: 'string', minLength: 1 },
    metadata: {
      type: 'object',
      description: 'not for people',
      properties: {
        description: { title: 'Description', type: 'string', uihints: { 'ui:placeholder': 'What it does' } },
        tags: {
          title: 'Tags',
          type: 'array',
          uniqueItems: true,
          items: { type: 'string', pattern: '^[^ \t]+([ \t]+[^ \t]+)*$' },
          uihints: { 'ui:field': '@elyra/metadata-extension:plugin.tags' }
        },
        language: {
          title: 'Language',
          type: 'string',
          minLength: 1,
          uihints: {
            'ui:field': '@elyra/metadata-extension:plugin.dropdown',
            category: 'Source code',
            default_choices: ['Python', 'R']
          }
        },
        code: {
          title: 'Code',
          type: 'array',
          items: { type: 'string' },
          uihints: { 'ui:field': '@elyra/metadata-extension:plugin.code', category: 'Source code' }
        }
      },
      required: ['language', 'code']
    }
  },
  required: ['schema_name', 'display_name', 'metadata']
};

/** A schema with a secret, branches, a constant and a hidden property. */
export const RUNTIME: ReadonlyJSONObject = {
  type: 'object',
  definitions: { login: { type: 'string', title: 'Password', format: 'password', minLength: 4 } },
  properties: {
    schema_name: { const: 'runtime' },
    display_name: { type: 'string' },
    metadata: {
      type: 'object',
      properties: {
        api_endpoint: { type: 'string', format: 'uri' },
        kind: { const: 'kfp' },
        secret_note: { type: 'string', uihints: { hidden: true } },
        auth: {
          title: 'Sign in',
          oneOf: [
            {
              title: 'Nobody',
              type: 'object',
              properties: { type: { const: 'none' } },
              required: ['type'],
              additionalProperties: false
            },
            {
              title: 'A user',
              type: 'object',
              properties: {
                type: { const: 'user' },
                user: { type: 'string' },
                password: { $ref: '#/definitions/login' }
              },
              required: ['type', 'user', 'password']
            }
          ]
        },
        servers: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
        tries: { type: 'integer', minimum: 1, default: 3 }
      },
      required: ['api_endpoint', 'kind'],
      if: { properties: { tries: { const: 9 } }, required: ['tries'] },
      then: { properties: { reason: { type: 'string', title: 'Why so often' } }, required: ['reason'] }
    }
  },
  required: ['schema_name', 'display_name', 'metadata']
};

/** The instance `hello` of code snippets. */
export function hello(part: Partial<Instance> = {}): Instance {
  return {
    name: 'hello',
    display_name: 'Hello',
    schema_name: 'code-snippet',
    metadata: { language: 'Python', code: ["print('hello')"], tags: ['demo'] },
    extra: {},
    valid: true,
    reason: '',
    problems: [],
    version: 2,
    time: '2026-11-20T12:00:00.000Z',
    deletable: true,
    urn: 'urn:li:instance:(code-snippets,hello)',
    resource: '/data/metadata/code-snippets/hello.json',
    ...part
  };
}

/** The path of the instance. */
export const PLACE = 'schemaspaces/code-snippets/instances';

const HISTORY = 'entities/urn:li:instance:(code-snippets,hello)/aspects/instance/versions';

/** A server with one schemaspace, its schema, and the instance `hello`. */
export function snippetServer(schema: ReadonlyJSONObject = SNIPPET, name = 'code-snippet'): FakeServer {
  const schemas = [{ name, title: 'Code Snippet', deprecated: false, uihints: {} }];
  const space = {
    name: 'code-snippets',
    id: 'aa60988f',
    display_name: 'Code Snippets',
    description: '',
    deprecated: false
  };
  return new FakeServer()
    .on('GET', 'me', { body: { user: 'ada', scopes: ['read', 'annotate', 'admin'] } })
    .on('GET', 'schemaspaces', { body: { schemaspaces: [{ ...space, schemas }], problems: [] } })
    .on('GET', `schemaspaces/code-snippets/schemas/${name}`, { body: schema })
    .on('GET', 'schemaspaces/code-snippets/values', { body: { values: [{ value: 'Scala', count: 2 }] } })
    .on('GET', `${PLACE}/hello`, { body: hello() })
    .on('GET', HISTORY, { body: { versions: [], cursor: null } });
}

/** A server with the schemaspace of pipelines, its schema, and one of them. */
export function pipelineServer(schema: ReadonlyJSONObject, saved: Instance): FakeServer {
  const schemas = [{ name: 'pipeline', title: 'Pipeline', deprecated: false, uihints: {} }];
  const space = { name: 'pipelines', id: 'p', display_name: 'Pipelines', description: '', deprecated: false };
  return snippetServer()
    .on('GET', 'schemaspaces', { body: { schemaspaces: [{ ...space, schemas }], problems: [] } })
    .on('GET', 'schemaspaces/pipelines/schemas/pipeline', { body: schema })
    .on('GET', `schemaspaces/pipelines/instances/${saved.name}`, { body: saved });
}
