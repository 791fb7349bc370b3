import type { Change, OwnerRequest, OwnerRequestCreation, OwnerRequestResponse } from '../../generated/api';
import type { IOperations } from '../../generated/operations';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ILiveState } from '../live/live-model';
import { LiveModel } from '../live/live-model';
import { toProblem } from '../problem';

/** The entity type of requests. */
export const REQUEST_TYPE = 'request';

const PAGE = 50;
const CHANGE_PAUSE_MS = 300;

/** Which requests to list. */
export type RequestSelection = Pick<IOperations['listRequests']['parameters'], 'list' | 'state' | 'about'>;

/** The state of a list of requests. */
export interface IRequestListState extends ILiveState {
  selection: RequestSelection;
  /** The last changed first; null until they are loaded. */
  requests: readonly OwnerRequest[] | null;
  total: number;
  cursor: string | null;
  mayAnnotate: boolean;
  /** Whether the user may grant what requests to read ask for. */
  mayGrant: boolean;
}

/** A list of requests to owners, which follows changes. */
export class RequestListModel extends LiveModel<IRequestListState> {
  constructor(
    readonly catalog: ICatalog,
    readonly feed: IChangeFeed | null,
    selection: RequestSelection
  ) {
    const empty = { requests: null, total: 0, cursor: null, mayAnnotate: false, mayGrant: false };
    super(feed, { selection, ...empty, busy: false, problem: null });
  }

  /** Lists other requests. */
  select(selection: RequestSelection): void {
    this.setState({ selection, requests: null, total: 0, cursor: null });
    void this.refresh();
  }

  /** Adds the next page. */
  async loadMore(): Promise<void> {
    const { selection, requests, cursor } = this.state;
    if (cursor !== null && requests !== null) {
      await this._run(async () => {
        const page = await this.catalog.call('listRequests', { ...selection, cursor, limit: PAGE });
        return { requests: [...requests, ...page.requests], total: page.total, cursor: page.cursor };
      });
    }
  }

  /** Asks the owners of an entity or a column; resolves to whether it succeeded. */
  async ask(request: OwnerRequestCreation): Promise<boolean> {
    return this._change(() => this.catalog.call('createRequest', {}, { body: request }));
  }

  /** Comments on a request, or changes its state; resolves to whether it succeeded. */
  async respond(urn: string, response: OwnerRequestResponse): Promise<boolean> {
    return this._change(() => this.catalog.call('updateRequest', { urn }, { body: response }));
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IRequestListState>> {
    const query = { ...this.state.selection, limit: PAGE };
    const [page, me] = await Promise.all([
      this.catalog.call('listRequests', query, { signal }),
      this.catalog.call('readMe', {}, { signal })
    ]);
    const { requests, total, cursor, mayGrant } = page;
    return { requests, total, cursor, mayGrant, mayAnnotate: me.scopes.includes('annotate') };
  }

  protected override onChanges(changes: readonly Change[]): void {
    if (changes.some(({ type }) => type === REQUEST_TYPE)) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private async _change(write: () => Promise<OwnerRequest>): Promise<boolean> {
    await this._run(async () => {
      await write();
      return {};
    });
    const succeeded = this.state.problem === null;
    if (succeeded) {
      await this.refresh();
    }
    return succeeded;
  }

  private async _run(act: () => Promise<Partial<IRequestListState>>): Promise<void> {
    this.setState({ busy: true });
    try {
      this.setState({ ...(await act()), busy: false, problem: null });
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
    }
  }
}
