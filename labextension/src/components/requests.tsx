import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import React from 'react';
import type { OwnerRequest, OwnerRequestResponse } from '../generated/api';
import type { RequestListModel } from '../model/stewardship/request-list';
import { shortenUrn } from '../model/urns';
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

/** The form that comments on a request, or changes its state. */
function Response({ model, request, trans }: IRequestProps): React.JSX.Element {
  const [text, setText] = React.useState('');
  const { busy } = useModel(model);
  const isOpen = request.state === 'open';
  const respond = async (state?: OwnerRequestResponse['state']): Promise<void> => {
    const comment = text.trim();
    const response = { ...(comment === '' ? {} : { text: comment }), ...(state === undefined ? {} : { state }) };
    if (await model.respond(request.urn, response)) {
      setText('');
    }
  };
  return (
    <form
      className="jp-Colophon-form jp-Colophon-inlineForm"
      onSubmit={event => {
        event.preventDefault();
        void respond(isOpen ? 'answered' : undefined);
      }}
    >
      <textarea
        rows={2}
        aria-label={trans.__('Comment')}
        placeholder={trans.__('Comment')}
        value={text}
        maxLength={4000}
        onChange={event => setText(event.target.value)}
      />
      <div className="jp-Colophon-actions">
        {isOpen && (
          <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={busy}>
            {trans.__('Mark as answered')}
          </button>
        )}
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={busy || text.trim() === ''}
          onClick={() => void respond()}
        >
          {trans.__('Comment only')}
        </button>
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={busy}
          onClick={() => void respond(isOpen ? 'declined' : 'open')}
        >
          {isOpen ? trans.__('Decline') : trans.__('Open again')}
        </button>
      </div>
    </form>
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
