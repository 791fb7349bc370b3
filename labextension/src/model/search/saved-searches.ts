import type { Instance } from '../../generated/api';
import type { ISchemaspaces, ISearch } from '../../tokens';

/** A saved search in a list. */
export interface ISavedSearch {
  name: string;
  display_name: string;
  version: number | null;
}

const SPACE = 'saved-searches';
const SCHEMA = 'saved-search';
const MAX_SEARCHES = 100;
/** Members of a saved search that are not filters. */
const NO_FILTERS = new Set(['description', 'query', 'tags']);

function getText(metadata: Instance['metadata'], name: string): string {
  const value = (metadata as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
}

/** Saved searches: instances of their own schemaspace. Every call rejects with a `CatalogProblem`. */
export class SavedSearchStore {
  constructor(private _spaces: ISchemaspaces) {}

  /** Lists the valid saved searches by name. */
  async list(signal?: AbortSignal): Promise<ISavedSearch[]> {
    const page = await this._spaces.listInstances(
      SPACE,
      { valid: true, sort: 'display_name', limit: MAX_SEARCHES },
      signal
    );
    return page.instances.map(({ name, display_name, version }) => ({ name, display_name, version }));
  }

  async read(saved: ISavedSearch): Promise<ISearch> {
    const { metadata } = await this._spaces.readInstance(SPACE, saved.name);
    // The server defines the filters: any other text is one.
    const filters = Object.keys(metadata)
      .filter(name => !NO_FILTERS.has(name))
      .map(name => [name, getText(metadata, name)] as const)
      .filter(([, value]) => value !== '');
    return { query: getText(metadata, 'query'), filters: Object.fromEntries(filters) };
  }

  async save(displayName: string, search: ISearch): Promise<void> {
    const metadata = { query: search.query, ...search.filters };
    await this._spaces.createInstance(SPACE, { display_name: displayName, schema_name: SCHEMA, metadata });
  }

  async remove(saved: ISavedSearch): Promise<void> {
    await this._spaces.deleteInstance(SPACE, saved.name, saved.version);
  }
}
