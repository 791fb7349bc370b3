import { readDisplayNames } from '../../model/display-names';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { formatPath, getParentType, readAncestors } from '../../model/search/hierarchy';
import { toTypedQuery } from '../../model/search/query';
import { listRecentEntities } from '../../model/search/recent';
import type { ICatalog } from '../../tokens';

/** An entity that can be chosen. */
export interface IChoice {
  urn: string;
  type: string;
  namespace: string;
  name: string;
  /** What is above it in its hierarchy; empty at the top, and for entities without a hierarchy. */
  path?: string;
}

/** The state of choosing an entity. */
export interface IPickerState extends ILiveState {
  text: string;
  /** Matching entities; without a text, recent ones. */
  choices: readonly IChoice[];
  /** The index of the selected choice; -1 if there is none. */
  selected: number;
}

const LIMIT = 20;
const RECENT_CHANGES = 300;
const TYPING_PAUSE_MS = 150;

/** Which entities can be chosen; by default, all. */
export interface IPickerOptions {
  /** Whether an entity can be chosen, by its URN. */
  isAllowed?: (urn: string) => boolean;
  /** The types of entities; without a text, all of them are listed by name, instead of recent entities. */
  types?: readonly string[];
  /** Where entities of these types are created; shown while none matches. */
  creationNote?: string;
}

/** The model of the dialog that asks for an entity. */
export class PickerModel extends LiveModel<IPickerState> {
  constructor(
    private _catalog: ICatalog,
    private _options: IPickerOptions = {}
  ) {
    super(null, { text: '', choices: [], selected: -1, busy: false, problem: null });
  }

  /** Whether entities that were changed or used last are listed. */
  get listsRecent(): boolean {
    return this.state.text.trim() === '' && this._options.types === undefined;
  }

  /** Where entities that can be chosen are created; empty if that is not known. */
  get creationNote(): string {
    return this._options.creationNote ?? '';
  }

  /** The URN of the selected entity; null if there is none. */
  get urn(): string | null {
    const { choices, selected } = this.state;
    return choices[selected]?.urn ?? null;
  }

  /** Sets the text; searches after a pause in typing. Until the answer, nothing is selected. */
  setText(text: string): void {
    this.setState({ text, selected: -1, busy: true });
    this.scheduleRefresh(TYPING_PAUSE_MS);
  }

  select(index: number): void {
    this.setState({ selected: index });
  }

  /** Selects the next or the previous choice; after the last one follows the first. */
  move(step: 1 | -1): void {
    const { choices, selected } = this.state;
    if (choices.length > 0) {
      const from = selected < 0 && step < 0 ? 0 : selected;
      this.select((from + step + choices.length) % choices.length);
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IPickerState>> {
    const { isAllowed = () => true, types } = this._options;
    const found = await (this.listsRecent ? this._loadRecent(signal) : this._searchTypes(types ?? [undefined], signal));
    const choices = found.filter(({ urn }) => isAllowed(urn)).slice(0, LIMIT);
    return { choices, selected: choices.length > 0 ? 0 : -1 };
  }

  protected override onChanges(): void {
    // The dialog does not follow the change feed.
  }

  private async _searchTypes(types: readonly (string | undefined)[], signal: AbortSignal): Promise<readonly IChoice[]> {
    const found = (await Promise.all(types.map(type => this._search(type, signal)))).flat();
    const placed = found.filter(({ type }) => getParentType(type) !== undefined).map(({ urn }) => urn);
    const ancestors = await readAncestors(this._catalog, placed, signal);
    return found.map(choice => ({ ...choice, path: formatPath(ancestors.get(choice.urn) ?? []) }));
  }

  private async _search(type: string | undefined, signal: AbortSignal): Promise<readonly IChoice[]> {
    const text = this.state.text.trim();
    const sort = text === '' ? ('name' as const) : ('relevance' as const);
    // Twice the limit, because some hits may not be allowed.
    const query = { q: toTypedQuery(text) || '*', type, sort, facets: 'type', limit: 2 * LIMIT };
    const { hits } = await this._catalog.call('search', query, { signal });
    return hits.map(hit => ({ ...hit, name: hit.displayName ?? hit.name }));
  }

  private async _loadRecent(signal: AbortSignal): Promise<readonly IChoice[]> {
    const head = await this._catalog.call('readChanges', { after: 0, limit: 0 }, { signal });
    const after = Math.max(0, head.cursor - RECENT_CHANGES);
    const log = await this._catalog.call('readChanges', { after, limit: RECENT_CHANGES }, { signal });
    const recent = listRecentEntities(log.changes, 2 * LIMIT);
    const urns = recent.map(({ urn }) => urn);
    const names = await readDisplayNames(this._catalog, urns, signal);
    return recent.map(entity => ({ ...entity, name: names.get(entity.urn) ?? entity.name }));
  }
}
