import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { RequestItem } from '../../components/requests';
import { Tabs } from '../../components/tabs';
import { useModel } from '../../components/use-model';
import type { RequestListModel, RequestSelection } from '../../model/stewardship/request-list';

interface IInboxProps {
  model: RequestListModel;
  openEntity: (urn: string) => void;
  trans: TranslationBundle;
}

const STATES = ['open', 'answered', 'declined'] as const;
const ALL = '';

/** Chooses the state of the listed requests. */
function StateSelect({ model, trans }: IInboxProps): React.JSX.Element {
  const { selection } = useModel(model);
  const labels = {
    open: trans.__('Open'),
    answered: trans.__('Answered'),
    declined: trans.__('Declined')
  };
  return (
    <select
      aria-label={trans.__('State')}
      value={selection.state ?? ALL}
      onChange={event => model.select({ ...selection, state: STATES.find(state => state === event.target.value) })}
    >
      {STATES.map(state => (
        <option key={state} value={state}>
          {labels[state]}
        </option>
      ))}
      <option value={ALL}>{trans.__('All')}</option>
    </select>
  );
}

function RequestList(props: IInboxProps): React.JSX.Element {
  const { model, openEntity, trans } = props;
  const { requests, cursor, busy, selection } = useModel(model);
  return (
    <>
      {requests?.length === 0 && (
        <p className="jp-Colophon-note">
          {selection.list === 'asked'
            ? trans.__('No requests of yours. Ask on the page of a table or a column.')
            : trans.__('No requests to you or your teams.')}
        </p>
      )}
      <ul aria-label={trans.__('Requests')}>
        {requests?.map(request => (
          <RequestItem
            key={request.urn}
            model={model}
            request={request}
            openEntity={openEntity}
            hasSubject
            trans={trans}
          />
        ))}
      </ul>
      {cursor !== null && (
        <button type="button" className="jp-Colophon-button" disabled={busy} onClick={() => void model.loadMore()}>
          {trans.__('More requests')}
        </button>
      )}
    </>
  );
}

/** Requests to the user and by the user. */
export function InboxBody(props: IInboxProps): React.JSX.Element {
  const { model, trans } = props;
  const { selection, busy, problem } = useModel(model);
  const tabs = [
    { id: 'assigned', label: trans.__('To me') },
    { id: 'asked', label: trans.__('By me') }
  ];
  return (
    <div className="jp-Colophon-inboxBody" aria-busy={busy}>
      <div className="jp-Colophon-activityFilter">
        <h2>{trans.__('Requests')}</h2>
        <StateSelect {...props} />
      </div>
      <Tabs
        id="jp-colophon-inbox"
        label={trans.__('Requests')}
        tabs={tabs}
        selected={selection.list ?? 'assigned'}
        select={list => model.select({ ...selection, list: list as RequestSelection['list'] })}
      >
        {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
        <RequestList {...props} />
      </Tabs>
    </div>
  );
}
