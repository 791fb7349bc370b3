import type { Change, ProposalDecision, ProposalReview } from '../../generated/api';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ILiveState } from '../live/live-model';
import { LiveModel } from '../live/live-model';
import { toProblem } from '../problem';

const CHANGE_PAUSE_MS = 300;

/** The state of a change that waits for review. */
export interface IReviewState extends ILiveState {
  /** Null until it is loaded. */
  review: ProposalReview | null;
}

/** A change that waits for review, with its differences from the present values, which follow changes. */
export class ReviewModel extends LiveModel<IReviewState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly proposal: string
  ) {
    super(feed, { review: null, busy: false, problem: null });
  }

  /** Applies, rejects, withdraws or brings up to date the change; resolves to whether it succeeded. */
  async decide(decision: ProposalDecision['decision'], text: string): Promise<boolean> {
    const body = { decision, ...(text === '' ? {} : { text }) };
    this.setState({ busy: true });
    try {
      await this._catalog.call('decideProposal', { id: this.proposal }, { body });
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
      return false;
    }
    await this.refresh();
    return true;
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IReviewState>> {
    return { review: await this._catalog.call('readProposal', { id: this.proposal }, { signal }) };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { review } = this.state;
    const urns = new Set([review?.request.urn, ...(review?.changes ?? []).map(({ urn }) => urn)]);
    if (changes.some(({ urn }) => urns.has(urn))) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }
}
