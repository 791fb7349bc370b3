import type { Change } from '../generated/api';

/** Aspects that users edit on the page of an entity although their scope is SYSTEM, as in DataHub's model. */
export const REFERENCE_ASPECTS = { term: 'glossaryTerms', domain: 'domains' } as const;

const EDITED_BY_PEOPLE = new Set<string>(Object.values(REFERENCE_ASPECTS));

/** Whether an aspect contains what people set: user metadata, glossary terms or domains. */
export function isSetByPeople({ aspect, scope }: { aspect: string; scope: Change['scope'] }): boolean {
  return scope === 'USER' || EDITED_BY_PEOPLE.has(aspect);
}
