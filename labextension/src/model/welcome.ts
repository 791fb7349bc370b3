import type { Change } from '../generated/api';
import type { ICatalog, IChangeFeed } from '../tokens';
import type { ILiveState } from './live/live-model';
import { LiveModel } from './live/live-model';
import { omitVariables } from './notebooks/variable';
import { writeAspect } from './editing/write-aspect';
import { toProblem } from './problem';

/** The state of the three steps. */
export interface IWelcomeState extends ILiveState {
  /** The URN of the user's first table: the data that a run of the user wrote first; null if there is none yet. */
  table: string | null;
  /** The first tag that the table has; empty before it is tagged. */
  tag: string;
  isFound: boolean;
  isTraced: boolean;
}

const ASPECT = 'businessMetadata';
const CHANGE_PAUSE_MS = 500;
/** How many of the latest runs are read to find a table. */
const RUNS = 100;

/** Three steps with the user's own first table: tag it, find it by its tag, and trace where it comes from. */
export class WelcomeModel extends LiveModel<IWelcomeState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null
  ) {
    super(feed, { table: null, tag: '', isFound: false, isTraced: false, busy: false, problem: null });
  }

  /** Whether all steps are done. */
  get isDone(): boolean {
    const { tag, isFound, isTraced } = this.state;
    return tag !== '' && isFound && isTraced;
  }

  /** Adds a tag to the table; a failure becomes the problem of the state. */
  async addTag(tag: string): Promise<void> {
    const { table } = this.state;
    const word = tag.trim();
    if (table === null || word === '') {
      return;
    }
    try {
      const { aspects } = await this._catalog.call('readEntity', { urn: table, aspects: ASPECT });
      const { version = 0, value } = aspects[ASPECT] ?? {};
      const { properties = {}, tags = [] } = (value ?? {}) as { properties?: object; tags?: string[] };
      await writeAspect(this._catalog, table, ASPECT, { properties, tags: [...tags, word] }, version);
      this.setState({ tag: word, problem: null });
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  markFound(): void {
    this.setState({ isFound: true });
  }

  markTraced(): void {
    this.setState({ isTraced: true });
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IWelcomeState>> {
    const table = this.state.table ?? (await this._findFirstTable(signal));
    if (table === null) {
      return { table };
    }
    const { USER } = await this._catalog.call('readEntityMetadata', { urn: table }, { signal });
    return { table, tag: USER.tags[0] ?? '' };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { table } = this.state;
    if (changes.some(({ operation, urn }) => (table === null ? operation === 'access' : urn === table))) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  /** Finds the table that the earliest of the user's latest runs wrote. */
  private async _findFirstTable(signal: AbortSignal): Promise<string | null> {
    const [{ username }, { runs }] = await Promise.all([
      this._catalog.call('readMe', {}, { signal }).then(({ user }) => user),
      this._catalog.call('listRuns', { limit: RUNS }, { signal })
    ]);
    const written = runs
      .filter(({ actor }) => actor === username)
      .flatMap(({ accesses }) => accesses.filter(({ mode }) => mode === 'write' || mode === 'both'))
      .map(({ data }) => ({ urn: data }));
    return omitVariables(written).at(-1)?.urn ?? null;
  }
}
