import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { SystemAppEvent } from '../../generated/api';
import { shortenUrn } from '../../model/urns';
import type { IApplicationsProps } from './body';

/** When an event is handled next. */
function NextAttempt({ event, trans }: { event: SystemAppEvent; trans: TranslationBundle }): React.JSX.Element {
  if (event.parked) {
    return <strong>{trans.__('not any more')}</strong>;
  }
  return event.due === null ? (
    <>{trans.__('after earlier events of the entity')}</>
  ) : (
    <time dateTime={event.due}>{new Date(event.due).toLocaleTimeString()}</time>
  );
}

interface IEventsProps extends IApplicationsProps {
  /** Called when an event was changed: its row, which had the focus, may be gone. */
  returnFocus: () => void;
}

/** An event, and what to do with it. */
function EventRow(props: IEventsProps & { event: SystemAppEvent }): React.JSX.Element {
  const { model, actions, event, returnFocus, trans } = props;
  const drop = async (): Promise<void> => {
    if (await actions.confirmDrop(event)) {
      await model.drop(event);
      returnFocus();
    }
  };
  return (
    <tr>
      <th scope="row">{event.number}</th>
      <td>{trans.__('%1 of %2', event.listener, event.app)}</td>
      <td>
        <button type="button" className="jp-Colophon-link" onClick={() => actions.openEntity(event.urn)}>
          {shortenUrn(event.urn)}
        </button>
      </td>
      <td>{event.problem}</td>
      <td className="jp-Colophon-number">{event.attempts}</td>
      <td>
        <NextAttempt event={event} trans={trans} />
      </td>
      <td>
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={trans.__('Try event %1 of %2 again', event.number, event.listener)}
          onClick={() => void model.retry(event).then(returnFocus)}
        >
          {trans.__('Try again')}
        </button>{' '}
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={trans.__('Drop event %1 of %2', event.number, event.listener)}
          onClick={() => void drop()}
        >
          {trans.__('Drop…')}
        </button>
      </td>
    </tr>
  );
}

/** The events that listeners of applications have not handled; nothing if there are none. */
export function Events(props: IEventsProps): React.JSX.Element | null {
  const { model, trans } = props;
  const { events } = useModel(model);
  if (events.length === 0) {
    return null;
  }
  const title = trans.__('Events that are not handled');
  return (
    <section className="jp-Colophon-card-section" aria-label={title}>
      <h2>{title}</h2>
      <p className="jp-Colophon-note">
        {trans.__('Listeners of applications failed with these events, or wait for earlier ones of the same entity.')}
      </p>
      <ScrollableTable label={title}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Event')}</th>
            <th scope="col">{trans.__('Listener')}</th>
            <th scope="col">{trans.__('Entity')}</th>
            <th scope="col">{trans.__('Problem')}</th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Attempts')}
            </th>
            <th scope="col">{trans.__('Next attempt')}</th>
            <th scope="col">{trans.__('Actions')}</th>
          </tr>
        </thead>
        <tbody>
          {events.map(event => (
            <EventRow key={`${event.app}/${event.listener}/${event.number}`} {...props} event={event} />
          ))}
        </tbody>
      </ScrollableTable>
    </section>
  );
}
