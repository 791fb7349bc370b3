import type { Hierarchy } from '../../generated/api';
import type { ICatalog } from '../../tokens';

/** An entity above another one in a hierarchy. */
export type Ancestor = Hierarchy['entities'][number]['ancestors'][number];

/** The entity types that are in hierarchies: the type of the parent, and the aspect and its member that name it. */
const PARENTS: Readonly<Record<string, readonly [parent: string, aspect: string, member: string]>> = {
  glossaryTerm: ['glossaryNode', 'glossaryTermInfo', 'parentNode'],
  glossaryNode: ['glossaryNode', 'glossaryNodeInfo', 'parentNode'],
  domain: ['domain', 'domainProperties', 'parentDomain']
};

/** Returns the type of the parents of a type of entities; undefined for types without a hierarchy. */
export function getParentType(type: string): string | undefined {
  return PARENTS[type]?.[0];
}

/** Returns the member that names the parent of a new entity; empty without a parent. */
export function createParentMember(type: string, parent: string | null): Readonly<Record<string, string>> {
  const member = PARENTS[type]?.[2];
  return member === undefined || parent === null ? {} : { [member]: parent };
}

/** Reads the ancestors of entities by their URNs, the top first; empty if they cannot be read. */
export async function readAncestors(
  catalog: ICatalog,
  urns: readonly string[],
  signal?: AbortSignal
): Promise<ReadonlyMap<string, readonly Ancestor[]>> {
  if (urns.length === 0) {
    return new Map();
  }
  try {
    const { entities } = await catalog.call('readHierarchy', {}, { body: { urns: [...urns] }, signal });
    return new Map(entities.map(({ urn, ancestors }) => [urn, ancestors]));
  } catch {
    return new Map();
  }
}

/** Moves an entity below another one, or to the top. Rejects with a `CatalogProblem`, also for a cycle. */
export async function moveEntity(catalog: ICatalog, urn: string, type: string, parent: string | null): Promise<void> {
  const [, aspect, member] = PARENTS[type] ?? [];
  if (aspect !== undefined && member !== undefined) {
    const body = { [member]: parent };
    await catalog.call('patchAspect', { urn, aspect }, { body });
  }
}

/** Formats ancestors as a path. */
export function formatPath(ancestors: readonly Ancestor[]): string {
  return ancestors.map(({ name }) => name).join(' / ');
}
