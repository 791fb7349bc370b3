import type { ProposalOutcomes, Proposals } from '../../generated/api';
import type { ICatalog } from '../../tokens';

/** A change of the user metadata of many entities. */
export interface IBulkChange {
  addedTags: readonly string[];
  removedTags: readonly string[];
  /** The new owner; empty to remove it, null to keep it. */
  owner: string | null;
}

/** The outcome for one entity: what a change would do, did, or why it is rejected. */
export type Outcome = ProposalOutcomes['outcomes'][number];

/** What a previewed change has done to an entity, for undoing it. */
interface IAppliedChange {
  urn: string;
  /** The version that the change has written. */
  version: number;
  before: object;
}

type Proposal = Proposals['proposals'][number];

/** The result of a change. */
export interface IBulkResult {
  outcomes: readonly Outcome[];
  /** The changes that can be undone. */
  applied: readonly IAppliedChange[];
}

const USER_ASPECT = 'businessMetadata';
const NO_METADATA = { properties: {}, tags: [] };
/** Maximum number of entities in one request. */
const BATCH = 200;

/** A change that keeps everything. */
export const NO_CHANGE: IBulkChange = { addedTags: [], removedTags: [], owner: null };

function toAnnotation({ addedTags, removedTags, owner }: IBulkChange): object {
  return {
    ...(addedTags.length > 0 && { tags: addedTags }),
    ...(removedTags.length > 0 && { withoutTags: removedTags }),
    ...(owner === '' && { withoutProperties: ['owner'] }),
    ...(owner !== null && owner !== '' && { properties: { owner } })
  };
}

async function submit(
  catalog: ICatalog,
  proposals: readonly Proposal[],
  dryRun: boolean,
  signal?: AbortSignal
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let start = 0; start < proposals.length; start += BATCH) {
    const body = { proposals: proposals.slice(start, start + BATCH) };
    const answer = await catalog.call('submitIndependentProposals', { dryRun }, { body, signal });
    outcomes.push(...answer.outcomes);
  }
  return outcomes;
}

/** Returns what a change would do to each entity. Rejects with a `CatalogProblem`. */
export function previewChange(
  catalog: ICatalog,
  urns: readonly string[],
  change: IBulkChange,
  signal?: AbortSignal
): Promise<readonly Outcome[]> {
  const value = toAnnotation(change);
  const proposals = urns.map(urn => ({ urn, aspect: USER_ASPECT, operation: 'annotate' as const, value }));
  return submit(catalog, proposals, true, signal);
}

/**
 * Applies a previewed change. An entity that was changed since the preview is rejected. Rejects with a
 * `CatalogProblem`.
 */
export async function applyChange(
  catalog: ICatalog,
  preview: readonly Outcome[],
  change: IBulkChange
): Promise<IBulkResult> {
  const changed = preview.filter(outcome => outcome.changed);
  const value = toAnnotation(change);
  const proposals = changed.map(({ urn, version }) => ({
    urn,
    aspect: USER_ASPECT,
    operation: 'annotate' as const,
    value,
    ...(version !== null && { ifVersion: version })
  }));
  const outcomes = await submit(catalog, proposals, false);
  const applied = outcomes.flatMap(({ urn, version, changed: isChanged }, index) =>
    isChanged && version !== null ? [{ urn, version, before: changed[index]?.before ?? NO_METADATA }] : []
  );
  return { outcomes, applied };
}

/**
 * Restores the values before a change, except where an entity was changed again; resolves to the outcomes. Rejects with
 * a `CatalogProblem`.
 */
export function undoChange(catalog: ICatalog, applied: readonly IAppliedChange[]): Promise<readonly Outcome[]> {
  const proposals = applied.map(({ urn, version, before }) => ({
    urn,
    aspect: USER_ASPECT,
    operation: 'upsert' as const,
    value: before,
    ifVersion: version
  }));
  return submit(catalog, proposals, false);
}

/** Counts the tags that users have given the entities of a preview, the most frequent first. */
export function countUserTags(preview: readonly Outcome[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { before } of preview) {
    const { tags = [] }: { tags?: readonly string[] } = before ?? {};
    tags.forEach(tag => counts.set(tag, (counts.get(tag) ?? 0) + 1));
  }
  return [...counts].sort(([left, some], [right, others]) => others - some || left.localeCompare(right));
}
