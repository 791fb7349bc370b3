import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ProposalDecision, ProposalReview } from '../generated/api';
import { compareDocuments } from '../model/difference';
import { ReviewModel } from '../model/stewardship/review';
import { shortenUrn } from '../model/urns';
import type { ICatalog, IChangeFeed } from '../tokens';
import type { ICommentAction } from './comment-form';
import { CommentForm } from './comment-form';
import { formatTime } from './labels';
import { ProblemNote } from './problem';
import { useLiveModel } from './use-live-model';
import { useModel } from './use-model';
import { Difference } from './versions';

interface IReviewProps {
  catalog: ICatalog;
  feed: IChangeFeed | null;
  /** The id of the proposal. */
  proposal: string;
  openEntity: (urn: string) => void;
  trans: TranslationBundle;
}

interface ILoadedProps extends IReviewProps {
  model: ReviewModel;
  review: ProposalReview;
}

/** The status of the problem of a change that is outdated. */
const CONDITION_FAILED = 412;

type ReviewedChange = ProposalReview['changes'][number];

/** One aspect: its differences from the present value, or why it cannot be applied. */
function ReviewedAspect(props: { change: ReviewedChange; trans: TranslationBundle }): React.JSX.Element | null {
  const { change, trans } = props;
  const { aspect, operation, before, after, problem } = change;
  if (problem !== null) {
    // That it is outdated is stated once, above the changes.
    return problem.status === CONDITION_FAILED ? null : <p className="jp-Colophon-note">{problem.detail}</p>;
  }
  if (aspect === null) {
    return <p>{operation === 'delete' ? trans.__('The entity is deleted.') : trans.__('The entity is created.')}</p>;
  }
  return (
    <ul className="jp-Colophon-differences" aria-label={trans.__('Differences')}>
      {compareDocuments(before ?? {}, after ?? {}).map((difference, index) => (
        <Difference key={index} difference={difference} trans={trans} />
      ))}
    </ul>
  );
}

function ChangeList({ review, openEntity, trans }: ILoadedProps): React.JSX.Element {
  const hasOthers = review.changes.some(({ urn }) => urn !== review.request.about);
  return (
    <>
      {review.changes.map((change, index) => (
        <div key={index} className="jp-Colophon-reviewedChange">
          {hasOthers && (
            <button
              type="button"
              className="jp-Colophon-link"
              title={change.urn}
              onClick={() => openEntity(change.urn)}
            >
              {shortenUrn(change.urn)}
            </button>
          )}
          <ReviewedAspect change={change} trans={trans} />
        </div>
      ))}
    </>
  );
}

/** The buttons that decide, with a comment for the author. */
function DecisionForm({ model, review, trans }: ILoadedProps): React.JSX.Element | null {
  const { busy } = useModel(model);
  const { mayDecide, mayWithdraw, isOutdated } = review;
  if (!mayDecide && !mayWithdraw) {
    return null;
  }
  const create = (decision: ProposalDecision['decision'], label: string): ICommentAction => ({
    label,
    run: comment => model.decide(decision, comment)
  });
  const apply = mayDecide ? create('apply', trans.__('Apply')) : null;
  return (
    <CommentForm
      label={mayDecide ? trans.__('Comment for the author') : null}
      primary={isOutdated ? create('rebase', trans.__('Bring up to date')) : apply}
      others={[
        ...(mayDecide ? [create('reject', trans.__('Reject'))] : []),
        ...(mayWithdraw ? [create('withdraw', trans.__('Withdraw'))] : [])
      ]}
      busy={busy}
    />
  );
}

function LoadedReview(props: ILoadedProps): React.JSX.Element {
  const { review, trans } = props;
  return (
    <>
      {review.isOutdated && (
        <p className="jp-Colophon-note" role="note">
          {trans.__('The entity has changed since. Bring the proposal up to date before it is applied.')}
        </p>
      )}
      <ChangeList {...props} />
      {review.expires !== null && (
        <p className="jp-Colophon-subtitle">
          {trans.__('Rejected on %1, unless someone decides before', formatTime(review.expires))}
        </p>
      )}
      <DecisionForm {...props} />
    </>
  );
}

/** A change that waits for review: its differences, and the buttons that apply or reject it. */
export function Review(props: IReviewProps): React.JSX.Element | null {
  const { catalog, feed, proposal } = props;
  const model = useLiveModel(() => new ReviewModel(catalog, feed, proposal), [catalog, feed, proposal]);
  return model && <ReviewOfModel {...props} model={model} />;
}

function ReviewOfModel(props: IReviewProps & { model: ReviewModel }): React.JSX.Element {
  const { model, trans } = props;
  const { review, problem } = useModel(model);
  return (
    <div className="jp-Colophon-review">
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {review && review.state === 'waiting' && <LoadedReview {...props} review={review} />}
    </div>
  );
}
