import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import React from 'react';
import type { OwnerRequest, OwnerRequestResponse } from '../generated/api';
import type { RequestListModel } from '../model/stewardship/request-list';
import { shortenUrn } from '../model/urns';
import { CommentForm } from './comment-form';
import { RelativeTime } from './relative-time';
import { Review } from './review';
import { useModel } from './use-model';

/** The kinds of requests that need no text, in the order in which they are offered. */
export const REQUEST_KINDS = ['describe', 'check', 'read'] as const;

interface IRequestProps {
  model: RequestListModel;
  request: OwnerRequest;
  openEntity: (urn: string) => void;
  /** Whether the request names what it is about. */
  hasSubject: boolean;
  trans: TranslationBundle;
}

/** Returns what a kind of request asks for. */
export function getRequestKindLabel(kind: OwnerRequest['kind'], trans: TranslationBundle): string {
  return {
    describe: trans.__('Please describe this'),
    check: trans.__('Is this right?'),
    read: trans.__('May I read this?'),
    other: trans.__('Something else'),
    change: trans.__('Proposed change')
  }[kind];
}

function getStateLabel({ kind, state }: OwnerRequest, trans: TranslationBundle): string {
  if (kind === 'change') {
    return { open: trans.__('waits for review'), answered: trans.__('applied'), declined: trans.__('rejected') }[state];
  }
  return { open: trans.__('open'), answered: trans.__('answered'), declined: trans.__('declined') }[state];
}

function getDetailsLabel({ kind, state, comments }: OwnerRequest, trans: TranslationBundle): string {
  if (kind === 'change' && state === 'open') {
    return trans.__('Show the change');
  }
  return comments.length === 0 ? trans.__('Answer') : trans._n('%1 comment', '%1 comments', comments.length);
}

function Comments({ request, trans }: IRequestProps): React.JSX.Element | null {
  return request.comments.length === 0 ? null : (
    <ul aria-label={trans.__('Comments')} className="jp-Colophon-comments">
      {request.comments.map(({ author, time, text }, index) => (
        <li key={index}>
          <p className="jp-Colophon-subtitle">
            {author.name} · <RelativeTime time={time} trans={trans} />
          </p>
          <p className="jp-Colophon-requestText">{text}</p>
        </li>
      ))}
    </ul>
  );
}

/** The form that comments on a request, changes its state, or grants the access that it asks for. */
function Response({ model, request, trans }: IRequestProps): React.JSX.Element {
  const { busy, mayGrant } = useModel(model);
  const isOpen = request.state === 'open';
  const respond =
    (change: OwnerRequestResponse) =>
    (comment: string): Promise<boolean> =>
      model.respond(request.urn, { ...(comment === '' ? {} : { text: comment }), ...change });
  const grant = { label: trans.__('Grant read access'), run: respond({ grant: 'read' }) };
  return (
    <CommentForm
      label={trans.__('Comment')}
      primary={isOpen ? { label: trans.__('Mark as answered'), run: respond({ state: 'answered' }) } : null}
      others={[
        ...(isOpen && mayGrant && request.kind === 'read' ? [grant] : []),
        { label: trans.__('Comment only'), run: respond({}), needsComment: true },
        isOpen
          ? { label: trans.__('Decline'), run: respond({ state: 'declined' }) }
          : { label: trans.__('Open again'), run: respond({ state: 'open' }) }
      ]}
      busy={busy}
    />
  );
}

/** A request: its text, who asked, its state, and on demand its comments with a form. */
export function RequestItem(props: IRequestProps): React.JSX.Element {
  const { model, request, openEntity, hasSubject, trans } = props;
  const { mayAnnotate } = useModel(model);
  const [isOpen, setOpen] = React.useState(false);
  const proposal = request.state === 'open' ? request.proposal : null;
  const assignees = request.assignees.map(({ name }) => name).join(', ');
  return (
    <li className="jp-Colophon-request" data-urn={request.urn} data-state={request.state}>
      <div className="jp-Colophon-requestHead">
        {hasSubject && (
          <button
            type="button"
            className="jp-Colophon-link"
            title={request.about}
            onClick={() => openEntity(request.about)}
          >
            {shortenUrn(request.about)}
          </button>
        )}
        <span className="jp-Colophon-requestState" data-state={request.state}>
          {getStateLabel(request, trans)}
        </span>
      </div>
      <p className="jp-Colophon-requestText">
        {request.kind !== 'other' && <b>{getRequestKindLabel(request.kind, trans)}</b>} {request.text}
      </p>
      <p className="jp-Colophon-subtitle">
        {assignees === ''
          ? trans.__('%1, not assigned', request.author.name)
          : trans.__('%1 to %2', request.author.name, assignees)}{' '}
        · <RelativeTime time={request.created} trans={trans} />
      </p>
      <button type="button" className="jp-Colophon-prompt" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {getDetailsLabel(request, trans)}
        <caretDownEmptyIcon.react tag="span" width="14px" />
      </button>
      {isOpen && <Comments {...props} />}
      {isOpen && proposal !== null && (
        <Review catalog={model.catalog} feed={model.feed} proposal={proposal} openEntity={openEntity} trans={trans} />
      )}
      {isOpen && proposal === null && mayAnnotate && <Response {...props} />}
    </li>
  );
}
