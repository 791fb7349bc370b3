import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { ISearch } from '../tokens';

/** The schema of the arguments of a command for one entity. */
export const URN_ARGUMENTS = {
  type: 'object',
  properties: { urn: { type: 'string', description: 'The URN of the entity' } },
  required: ['urn']
};

/** The schema of the arguments of a command that opens the tab of one entity. */
export const TAB_ARGUMENTS = {
  ...URN_ARGUMENTS,
  properties: {
    ...URN_ARGUMENTS.properties,
    preview: { type: 'boolean', description: 'Whether the next preview replaces the tab; the focus stays' }
  }
};

/** The schemas of the arguments of a command that select the shown part of a lineage graph. */
export const LINEAGE_OPTIONS = {
  direction: {
    enum: ['both', 'upstream', 'downstream', 'undirected'],
    description: 'The direction; by default, both'
  },
  levels: { type: 'integer', minimum: 1, maximum: 20, description: 'The number of levels; by default, the setting' }
};

/** Returns the argument `urn` of a command; empty if there is none. */
export function getUrn(args: ReadonlyPartialJSONObject): string {
  const urn = args['urn'];
  return typeof urn === 'string' ? urn : '';
}

/** The schema of the arguments of a command that opens the search panel. */
export const SEARCH_ARGUMENTS = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'The query to search for; by default, the current one stays' },
    filters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The filters of the search by their names; by default, none'
    }
  }
};

/** Returns the search of a command; null if its arguments have none. */
export function getSearch(args: ReadonlyPartialJSONObject): ISearch | null {
  const { query, filters } = args;
  const isRecord = typeof filters === 'object' && filters !== null && !Array.isArray(filters);
  const texts = Object.entries(isRecord ? filters : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string'
  );
  return typeof query === 'string' ? { query, filters: Object.fromEntries(texts) } : null;
}

/** The schema of the arguments of a command for one instance of a schemaspace. */
export const INSTANCE_ARGUMENTS = {
  type: 'object',
  properties: {
    space: { type: 'string', description: 'The name of the schemaspace' },
    schema: { type: 'string', description: 'The name of the schema' },
    name: { type: 'string', description: 'The name of the instance' }
  }
};

/** Returns a text argument of a command; empty if there is none. */
export function getText(args: ReadonlyPartialJSONObject, member: string): string {
  const text = args[member];
  return typeof text === 'string' ? text : '';
}
