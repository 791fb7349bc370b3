import type { Entities, Entity } from '../../generated/api';
import type { ICatalog } from '../../tokens';

type Program = Entities['entities'][number];

/** What an entity contains. */
export type Contents =
  | {
      kind: 'namespace';
      /** The types of the entities in a namespace, with their numbers. */
      types: readonly { type: string; count: number }[];
    }
  | {
      kind: 'application';
      programs: readonly Program[];
      /** Whether the namespace has more programs than were read. */
      isPartial: boolean;
    };

/** The maximum number of programs of a namespace that are read. */
const MAX_PROGRAMS = 500;

async function readNamespace(catalog: ICatalog, namespace: string): Promise<Contents> {
  const { facets } = await catalog.call('search', { q: '*', namespace, facets: 'type', limit: 0 });
  const types = (facets['type'] ?? []).map(({ value, count }) => ({ type: value, count }));
  return { kind: 'namespace', types: types.filter(({ type }) => type !== 'namespace') };
}

async function readApplication(catalog: ICatalog, { urn, namespace }: Entity): Promise<Contents> {
  const query = { type: 'dataJob', namespace, limit: MAX_PROGRAMS };
  const { entities, cursor } = await catalog.call('listEntities', query);
  // The URN of a program begins with that of its application.
  const programs = entities.filter(entity => entity.urn.startsWith(`urn:li:dataJob:(${urn},`));
  return { kind: 'application', programs, isPartial: cursor !== null };
}

/** Reads what a namespace or an application contains; null for other entities. Rejects with a `CatalogProblem`. */
export async function readContents(catalog: ICatalog, entity: Entity): Promise<Contents | null> {
  switch (entity.type) {
    case 'namespace':
      return readNamespace(catalog, entity.name);
    case 'dataFlow':
      return readApplication(catalog, entity);
    default:
      return null;
  }
}
