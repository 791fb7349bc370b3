import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ProposalDecision, ProposalReview } from '../generated/api';
import { compareDocuments } from '../model/difference';
import { ReviewModel } from '../model/stewardship/review';
import { shortenUrn } from '../model/urns';
import type { ICatalog, IChangeFeed } from '../tokens';
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
  const [text, setText] = React.useState('');
  const { mayDecide, mayWithdraw, isOutdated } = review;
  if (!mayDecide && !mayWithdraw) {
    return null;
  }
  const decide = (decision: ProposalDecision['decision']): void => void model.decide(decision, text.trim());
  return (
    <form
      className="jp-Colophon-form jp-Colophon-inlineForm"
      onSubmit={event => {
        event.preventDefault();
        decide(isOutdated ? 'rebase' : 'apply');
      }}
    >
      {mayDecide && (
        <textarea
          rows={2}
          aria-label={trans.__('Comment for the author')}
          placeholder={trans.__('Comment for the author')}
          value={text}
          maxLength={4000}
          onChange={event => setText(event.target.value)}
        />
      )}
      <div className="jp-Colophon-actions">
        {isOutdated && (
          <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={busy}>
            {trans.__('Bring up to date')}
          </button>
        )}
        {mayDecide && !isOutdated && (
          <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={busy}>
            {trans.__('Apply')}
          </button>
        )}
        {mayDecide && (
          <button type="button" className="jp-Colophon-button" disabled={busy} onClick={() => decide('reject')}>
            {trans.__('Reject')}
          </button>
        )}
        {mayWithdraw && (
          <button type="button" className="jp-Colophon-button" disabled={busy} onClick={() => decide('withdraw')}>
            {trans.__('Withdraw')}
          </button>
        )}
      </div>
    </form>
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
