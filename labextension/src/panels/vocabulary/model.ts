import type { Change, Keys, KeyValues } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import { moveEntity } from '../../model/search/hierarchy';
import type { Key } from '../../model/search/query';
import type { IEntry, INewEntry, ReferenceKind } from '../../model/search/vocabulary';
import { createEntry, describeEntry, joinEntries, readEntries } from '../../model/search/vocabulary';
import type { ICatalog, IChangeFeed } from '../../tokens';

/** The tabs of the page. */
export const VOCABULARY_TABS = ['keys', 'term', 'domain', 'owner'] as const;
export type VocabularyTab = (typeof VOCABULARY_TABS)[number];

const PAGE = 200;
const VALUES_PAGE = 50;
const TYPING_PAUSE_MS = 150;
const CHANGE_PAUSE_MS = 500;

/** A list of keys, as far as it is loaded. */
export interface IKeyList {
  keys: readonly Key[];
  cursor: string | null;
}

/** The values of a key, as far as they are loaded; the problem if that failed. */
interface IValueList {
  values: KeyValues['values'];
  cursor: string | null;
  problem: CatalogProblem | null;
}

/** The state of the page of keys, glossary terms, domains and owners. */
export interface IVocabularyState extends ILiveState {
  tab: VocabularyTab;
  /** The text by which the list is filtered. */
  text: string;
  /** Keys that users have written. */
  userKeys: IKeyList;
  /** Keys that programs have written; null until they are shown. */
  systemKeys: IKeyList | null;
  /** The values of the open keys. */
  values: ReadonlyMap<string, IValueList>;
  entries: readonly IEntry[];
  /** Whether there are more entries. */
  hasMore: boolean;
  /** Whether entries can be created and described. */
  mayCreate: boolean;
}

const NO_KEYS: IKeyList = { keys: [], cursor: null };

const EMPTY: IVocabularyState = {
  tab: 'keys',
  text: '',
  userKeys: NO_KEYS,
  systemKeys: null,
  values: new Map(),
  entries: [],
  hasMore: false,
  mayCreate: false,
  busy: false,
  problem: null
};

/** The model of the page of keys, glossary terms, domains and owners. */
export class VocabularyModel extends LiveModel<IVocabularyState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null
  ) {
    super(feed, EMPTY);
  }

  /** Shows another list. */
  selectTab(tab: VocabularyTab): void {
    if (tab !== this.state.tab) {
      this.setState({ ...EMPTY, tab, mayCreate: this.state.mayCreate });
      void this.refresh();
    }
  }

  /** Filters the list after a pause in typing. */
  setText(text: string): void {
    this.setState({ text });
    this.scheduleRefresh(TYPING_PAUSE_MS);
  }

  /** Shows or hides the keys that programs have written. */
  async toggleSystemKeys(): Promise<void> {
    if (this.state.systemKeys !== null) {
      this.setState({ systemKeys: null });
      return;
    }
    await this._update(async () => ({ systemKeys: await this._readKeys('SYSTEM') }));
  }

  /** Adds the next page of keys of a scope. */
  async loadMoreKeys(scope: Key['scope']): Promise<void> {
    const name = scope === 'USER' ? 'userKeys' : 'systemKeys';
    const list = this.state[name];
    if (list !== null && list.cursor !== null) {
      const { cursor, keys } = list;
      await this._update(async () => {
        const page = await this._readKeys(scope, cursor);
        return { [name]: { ...page, keys: [...keys, ...page.keys] } };
      });
    }
  }

  /** Shows or hides the values of a key. */
  async toggleValues(key: string): Promise<void> {
    if (this.state.values.has(key)) {
      const values = new Map(this.state.values);
      values.delete(key);
      this.setState({ values });
      return;
    }
    await this.loadMoreValues(key);
  }

  /** Adds the next page of the values of a key. */
  async loadMoreValues(key: string): Promise<void> {
    const known = this.state.values.get(key);
    let list: IValueList;
    try {
      const query = { key, limit: VALUES_PAGE, cursor: known?.cursor ?? undefined };
      const page = await this._catalog.call('listValues', query);
      list = { values: [...(known?.values ?? []), ...page.values], cursor: page.cursor, problem: null };
    } catch (reason) {
      list = { values: known?.values ?? [], cursor: null, problem: toProblem(reason) };
    }
    this.setState({ values: new Map(this.state.values).set(key, list) });
  }

  /** Adds the next page of entries. */
  async loadMoreEntries(): Promise<void> {
    const { tab, text, entries, busy } = this.state;
    if (tab === 'keys' || busy) {
      return;
    }
    await this._update(async () => {
      const page = await readEntries(this._catalog, tab, text, this._cursors);
      this._cursors = page.cursors;
      return { entries: joinEntries(entries, page.entries), hasMore: Object.keys(page.cursors).length > 0 };
    });
  }

  /** Creates an entry; resolves to its URN, or null with the problem in the state. */
  async create(entry: INewEntry): Promise<string | null> {
    try {
      const urn = await createEntry(this._catalog, entry);
      await this.refresh();
      return urn;
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
      return null;
    }
  }

  /** Writes the description of an entry. */
  async describe(entry: IEntry, text: string): Promise<void> {
    const { urn, type } = entry;
    if (urn !== null) {
      await this._update(async () => {
        await describeEntry(this._catalog, urn, type, text);
        return {};
      });
      if (this.state.problem === null) {
        await this.refresh();
      }
    }
  }

  /** Moves an entry below another one, or to the top. */
  async move({ urn, type }: IEntry, parent: string | null): Promise<void> {
    if (urn !== null) {
      await this._update(async () => {
        await moveEntity(this._catalog, urn, type, parent);
        return {};
      });
      if (this.state.problem === null) {
        await this.refresh();
      }
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IVocabularyState>> {
    const { tab } = this.state;
    const [me, list] = await Promise.all([
      this._catalog.call('readMe', {}, { signal }),
      tab === 'keys' ? this._loadKeys(signal) : this._loadEntries(tab, signal)
    ]);
    return { ...list, mayCreate: me.scopes.includes('emit') };
  }

  protected override onChanges(changes: readonly Change[]): void {
    if (changes.some(({ operation }) => !['run-start', 'run-end'].includes(operation))) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private async _loadKeys(signal: AbortSignal): Promise<Partial<IVocabularyState>> {
    const isOpen = this.state.systemKeys !== null;
    const [userKeys, systemKeys] = await Promise.all([
      this._readKeys('USER', undefined, signal),
      isOpen ? this._readKeys('SYSTEM', undefined, signal) : null
    ]);
    return { userKeys, systemKeys };
  }

  private async _loadEntries(kind: ReferenceKind, signal: AbortSignal): Promise<Partial<IVocabularyState>> {
    const { entries, cursors } = await readEntries(this._catalog, kind, this.state.text, null, signal);
    this._cursors = cursors;
    return { entries: joinEntries(entries), hasMore: Object.keys(cursors).length > 0 };
  }

  private async _readKeys(scope: Key['scope'], cursor?: string, signal?: AbortSignal): Promise<IKeyList> {
    const query = { scope, prefix: this.state.text.trim(), countValues: true, limit: PAGE, cursor };
    const { keys, cursor: next }: Keys = await this._catalog.call('listKeys', query, { signal });
    return { keys, cursor: next };
  }

  private async _update(load: () => Promise<Partial<IVocabularyState>>): Promise<void> {
    this.setState({ busy: true });
    try {
      this.setState({ ...(await load()), busy: false, problem: null });
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
    }
  }

  private _cursors: Readonly<Record<string, string>> = {};
}
