import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ShortForm } from '../../../components/short-form';
import { ProblemNote } from '../../../components/problem';
import { getRequestKindLabel, REQUEST_KINDS, RequestItem } from '../../../components/requests';
import { useLiveModel } from '../../../components/use-live-model';
import { useModel } from '../../../components/use-model';
import type { OwnerRequestCreation } from '../../../generated/api';
import { RequestListModel } from '../../../model/stewardship/request-list';
import type { IPageProps } from '../page';

type QuestionKind = NonNullable<OwnerRequestCreation['kind']>;

interface IAskProps extends IPageProps {
  requests: RequestListModel;
  close: () => void;
}

/** The form that asks the owners: each kind of request has a button, which asks with the text if there is one. */
function AskForm({ page, requests, close }: IAskProps): React.JSX.Element {
  const { model, trans } = page;
  const { busy } = useModel(requests);
  const [text, setText] = React.useState('');
  const ask = async (kind: QuestionKind): Promise<void> => {
    const question = text.trim() === '' ? getRequestKindLabel(kind, trans) : text.trim();
    if (await requests.ask({ about: model.urn, kind, text: question })) {
      close();
    }
  };
  return (
    <ShortForm
      className="jp-Colophon-inlineForm"
      label={trans.__('Ask the owners')}
      submit={() => void ask('other')}
      close={close}
    >
      <div className="jp-Colophon-actions">
        {REQUEST_KINDS.map((kind, index) => (
          <button
            key={kind}
            type="button"
            className="jp-Colophon-button"
            autoFocus={index === 0}
            disabled={busy}
            onClick={() => void ask(kind)}
          >
            {getRequestKindLabel(kind, trans)}
          </button>
        ))}
      </div>
      <textarea
        rows={2}
        aria-label={trans.__('Text of the request')}
        placeholder={trans.__('Details, or another question')}
        required
        value={text}
        maxLength={4000}
        onChange={event => setText(event.target.value)}
      />
      <div className="jp-Colophon-actions">
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={busy}>
          {trans.__('Ask')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}

/** Open requests about the entity and its columns, and a form that asks its owners. */
export function RequestsSection({ page }: IPageProps): React.JSX.Element | null {
  const { model, services, actions, trans } = page;
  const { metadata } = services;
  const requests = useLiveModel(
    () => new RequestListModel(metadata, metadata.feed, { about: model.urn, state: 'open' }),
    [metadata, model]
  );
  return (
    requests && <Requests page={page} requests={requests} openEntity={urn => actions.openEntity(urn)} trans={trans} />
  );
}

function Requests(
  props: IPageProps & {
    requests: RequestListModel;
    openEntity: (urn: string) => void;
    trans: IPageProps['page']['trans'];
  }
): React.JSX.Element {
  const { page, requests: list, openEntity, trans } = props;
  const { requests, problem, mayAnnotate } = useModel(list);
  const [isAsking, setAsking] = React.useState(false);
  const changes = (requests ?? []).filter(({ kind }) => kind === 'change').length;
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Requests')}>
      <h2>{trans.__('Requests')}</h2>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void list.refresh()} />}
      {changes > 0 && (
        <p role="status">
          {trans._n('%1 proposed change waits for review', '%1 proposed changes wait for review', changes)}
        </p>
      )}
      {isAsking ? (
        <AskForm page={page} requests={list} close={() => setAsking(false)} />
      ) : (
        mayAnnotate && (
          <button type="button" className="jp-Colophon-prompt" onClick={() => setAsking(true)}>
            <addIcon.react tag="span" width="14px" />
            {trans.__('Ask the owners')}
          </button>
        )
      )}
      {requests !== null && requests.length > 0 && (
        <ul aria-label={trans.__('Open requests')}>
          {requests.map(request => (
            <RequestItem
              key={request.urn}
              model={list}
              request={request}
              openEntity={openEntity}
              hasSubject={request.about !== page.model.urn}
              trans={trans}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
