import type { Instance } from '../generated/api';
import type { ISchemaspaces, ISearchFilters } from '../tokens';

/** A search that was kept, as it is listed. */
export interface ISavedSearch {
  name: string;
  display_name: string;
  version: number | null;
}

/** What a kept search looks for. */
export interface ISearch {
  query: string;
  filters: ISearchFilters;
}

const SPACE = 'saved-searches';
const SCHEMA = 'saved-search';
const MOST = 100;
/** Members of a kept search that do not narrow it down. */
const NO_FILTERS = new Set(['description', 'query', 'tags']);

function textOf(metadata: Instance['metadata'], name: string): string {
  const value = (metadata as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
}

/** Searches that are kept: instances of a schemaspace of their own. Every call rejects with a `CatalogProblem`. */
export class SavedSearches {
  constructor(private _spaces: ISchemaspaces) {}

  /** All that can be done again, by name. */
  async all(signal?: AbortSignal): Promise<ISavedSearch[]> {
    const found = await this._spaces.instances(SPACE, { valid: true, sort: 'display_name', limit: MOST }, signal);
    return found.instances.map(({ name, display_name, version }) => ({ name, display_name, version }));
  }

  async read(saved: ISavedSearch): Promise<ISearch> {
    const { metadata } = await this._spaces.instance(SPACE, saved.name);
    // Each other text is a filter: which there are is the server's to say.
    const filters = Object.keys(metadata)
      .filter(name => !NO_FILTERS.has(name))
      .map(name => [name, textOf(metadata, name)] as const)
      .filter(([, value]) => value !== '');
    return { query: textOf(metadata, 'query'), filters: Object.fromEntries(filters) };
  }

  async save(displayName: string, search: ISearch): Promise<void> {
    const metadata = { query: search.query, ...search.filters };
    await this._spaces.create(SPACE, { display_name: displayName, schema_name: SCHEMA, metadata });
  }

  async remove(saved: ISavedSearch): Promise<void> {
    await this._spaces.remove(SPACE, saved.name, saved.version);
  }
}
