import type { Entity, Versions } from '../../../generated/api';
import type { CatalogProblem } from '../../../model/problem';
import { toProblem } from '../../../model/problem';
import type { ICatalog } from '../../../tokens';

/** A version of an aspect. */
type AspectVersion = Versions['versions'][number];

/** One more than is shown at once: the oldest version is the base of comparison for the next one. */
const VERSIONS_PAGE = 11;

/** The loaded part of the history of an aspect. */
export interface IHistory {
  aspect: string;
  versions: readonly AspectVersion[];
  cursor: string | null;
  problem: CatalogProblem | null;
}

/** A version of an aspect of the entity, with the one before it. */
export interface IEntry {
  aspect: string;
  version: AspectVersion;
  /** Undefined if there is none or if it is not available. */
  previous: AspectVersion | undefined;
}

/** Reads a page of the history of an aspect. */
export async function readHistory(catalog: ICatalog, urn: string, aspect: string, known?: IHistory): Promise<IHistory> {
  try {
    const cursor = known?.cursor ?? undefined;
    const page = await catalog.call('listVersions', { urn, aspect, limit: VERSIONS_PAGE, cursor });
    return { aspect, versions: [...(known?.versions ?? []), ...page.versions], cursor: page.cursor, problem: null };
  } catch (reason) {
    return { aspect, versions: known?.versions ?? [], cursor: null, problem: toProblem(reason) };
  }
}

/** Whether a history contains the current version of its aspect. */
export function isCurrent(history: IHistory | undefined, entity: Entity): boolean {
  return history !== undefined && history.versions[0]?.version === entity.aspects[history.aspect]?.version;
}

/**
 * Lists the versions of all aspects, newest first.
 *
 * Versions that are older than the loaded part of another aspect are omitted: others may lie between them.
 */
export function listEntries(histories: readonly IHistory[]): IEntry[] {
  const starts = histories.flatMap(({ versions, cursor }) => (cursor === null ? [] : [versions.at(-1)?.time ?? '']));
  const start = starts.sort().at(-1) ?? '';
  return histories
    .flatMap(({ aspect, versions }) =>
      versions.map((version, index) => ({ aspect, version, previous: versions[index + 1] }))
    )
    .filter(({ version }) => start === '' || version.time > start)
    .sort((left, right) => right.version.time.localeCompare(left.version.time));
}
