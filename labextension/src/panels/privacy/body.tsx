import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { ScrollableTable } from '../../components/scrollable-table';
import { TextInput } from '../../components/text-input';
import { useModel } from '../../components/use-model';
import type { Erasure } from '../../generated/api';
import type { IPrivacyActions } from './index';
import { getPlaceLabel } from './labels';
import type { PrivacyModel } from './model';
import { countChanged, isRunning } from './model';
import { PersonRecords } from './records';

/** What the parts of the page share. */
export interface IPrivacyProps {
  model: PrivacyModel;
  actions: IPrivacyActions;
  trans: TranslationBundle;
}

/** Asks whose records are shown. */
function PersonForm({ model, trans }: IPrivacyProps): React.JSX.Element {
  const { busy } = useModel(model);
  const [person, setPerson] = React.useState('');
  return (
    <form
      className="jp-Colophon-form jp-Colophon-newEntry"
      aria-label={trans.__('Person')}
      onSubmit={event => {
        event.preventDefault();
        void model.readRecords(person.trim());
      }}
    >
      <TextInput
        label={trans.__('User name')}
        placeholder={trans.__('As in the change log')}
        required
        value={person}
        setValue={setPerson}
      />
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={busy}>
          {trans.__('Show what is recorded')}
        </button>
      </div>
    </form>
  );
}

/** Where an erasure is, or why it has stopped. */
function ErasureState({ erasure, trans }: { erasure: Erasure; trans: TranslationBundle }): React.JSX.Element {
  const { finished, step, problem } = erasure;
  if (problem !== '') {
    return (
      <>
        <strong>{trans.__('stopped: %1', problem)}</strong>
        <div className="jp-Colophon-subtitle">{trans.__('To continue, erase the same person again.')}</div>
      </>
    );
  }
  if (finished === null) {
    return <>{trans.__('running: %1', getPlaceLabel(step, trans))}</>;
  }
  return (
    <>
      {trans.__('finished')} <RelativeTime time={finished} trans={trans} />
    </>
  );
}

function ErasureRow({ erasure, trans }: { erasure: Erasure; trans: TranslationBundle }): React.JSX.Element {
  const { pseudonym, requestedBy, started, changed } = erasure;
  const places = Object.entries(changed).filter(([, count]) => count > 0);
  return (
    <tr data-pseudonym={pseudonym}>
      <th scope="row">{pseudonym}</th>
      <td>{requestedBy}</td>
      <td>
        <RelativeTime time={started} trans={trans} />
      </td>
      <td>
        <ErasureState erasure={erasure} trans={trans} />
      </td>
      <td>
        {places.length === 0 ? (
          countChanged(erasure)
        ) : (
          <details>
            <summary>{countChanged(erasure).toLocaleString()}</summary>
            <ul>
              {places.map(([place, count]) => (
                <li key={place}>
                  {getPlaceLabel(place, trans)}: {count.toLocaleString()}
                </li>
              ))}
            </ul>
          </details>
        )}
      </td>
    </tr>
  );
}

function ErasureTable({ model, trans }: IPrivacyProps): React.JSX.Element {
  const { erasures } = useModel(model);
  if (erasures === null || erasures.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No one was erased.')}</p>;
  }
  return (
    <ScrollableTable label={trans.__('Erasures')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Pseudonym')}</th>
          <th scope="col">{trans.__('Requested by')}</th>
          <th scope="col">{trans.__('Started')}</th>
          <th scope="col">{trans.__('State')}</th>
          <th scope="col">{trans.__('Changed records')}</th>
        </tr>
      </thead>
      <tbody>
        {erasures.map(erasure => (
          <ErasureRow key={erasure.pseudonym} erasure={erasure} trans={trans} />
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** The body of the page. */
export function PrivacyBody(props: IPrivacyProps): React.JSX.Element {
  const { model, trans } = props;
  const { erasures, records, busy, problem } = useModel(model);
  const running = erasures?.filter(isRunning).length ?? 0;
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1>{trans.__('Privacy')}</h1>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {erasures && (
        <>
          <p className="jp-Colophon-note">
            {trans.__('What is recorded of a person can be exported, and the name can be replaced by a pseudonym.')}
          </p>
          <PersonForm {...props} />
          {records && <PersonRecords key={records.person} {...props} records={records} />}
          <section className="jp-Colophon-card-section" aria-label={trans.__('Erasures')}>
            <h2>{trans.__('Erasures')}</h2>
            <p role="status" className="jp-Colophon-note">
              {running > 0 && trans._n('%1 erasure is running.', '%1 erasures are running.', running)}
            </p>
            <ErasureTable {...props} />
          </section>
        </>
      )}
    </div>
  );
}
