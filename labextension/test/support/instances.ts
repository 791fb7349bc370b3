import type { Instance, Instances, InstanceSummary, Schemaspaces } from '../../src/generated/api';

/** A row of a list of snippets. */
export function rowOf(name: string, part: Partial<InstanceSummary> = {}): InstanceSummary {
  return {
    name,
    display_name: name.toUpperCase(),
    schema_name: 'code-snippet',
    tags: [],
    description: `about ${name}`,
    language: 'Python',
    valid: true,
    reason: '',
    problem: '',
    version: 1,
    time: '2026-11-20T12:00:00.000Z',
    deletable: true,
    urn: `urn:li:instance:(code-snippets,${name})`,
    ...part
  };
}

/** A page of a list. */
export function pageOf(
  instances: InstanceSummary[],
  total = instances.length,
  cursor: string | null = null
): Instances {
  return { instances, total, cursor, tags: [], schemas: [{ name: 'code-snippet', count: total }] };
}

/** A snippet. */
export function snippetNamed(name: string, part: Partial<Instance> = {}): Instance {
  const { display_name, schema_name, valid, reason, version, time, deletable, urn } = rowOf(name);
  const metadata = { language: 'Python', code: ['import pandas', `${name} = 1`] };
  const rest = { extra: {}, problems: [], resource: `/data/${name}.json` };
  return { name, display_name, schema_name, metadata, valid, reason, version, time, deletable, urn, ...rest, ...part };
}

/** Two schemaspaces, the second with two schemas. */
export const SPACES: Schemaspaces = {
  schemaspaces: [
    {
      name: 'runtimes',
      id: '130b8e00-de7c-4b32-a553-b4a52824a3b5',
      display_name: 'Runtimes',
      description: 'Where pipelines run',
      deprecated: false,
      schemas: [
        { name: 'kfp', title: 'Kubeflow Pipelines', deprecated: false, uihints: {} },
        { name: 'airflow', title: 'Apache Airflow', deprecated: false, uihints: {} }
      ]
    },
    {
      name: 'code-snippets',
      id: 'aa60988f-8f7c-4d09-a243-c54ef9c2f7fb',
      display_name: 'Code Snippets',
      description: 'Pieces of code',
      deprecated: false,
      schemas: [{ name: 'code-snippet', title: 'Code Snippet', deprecated: false, uihints: {} }]
    }
  ],
  problems: []
};
