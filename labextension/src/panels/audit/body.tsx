import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatTime } from '../../components/labels';
import { ProblemNote } from '../../components/problem';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { AuditEntry } from '../../generated/api';
import { shortenUrn } from '../../model/urns';
import { FilterForm } from './filter-form';
import type { IAuditActions } from './index';
import { describeAction, getOutcomeLabel } from './labels';
import type { AuditModel, IAuditState, IVerification } from './model';
import { formatAuditCsv, NO_FILTER } from './model';

/** What the parts of the page share. */
export interface IAuditProps {
  model: AuditModel;
  actions: IAuditActions;
  trans: TranslationBundle;
}

function EntityLink({ urn, actions }: Pick<IAuditProps, 'actions'> & { urn: string | null }): React.JSX.Element | null {
  return urn === null || urn === '' ? null : (
    <button type="button" className="jp-Colophon-link" title={urn} onClick={() => actions.openEntity(urn)}>
      {shortenUrn(urn)}
    </button>
  );
}

/** The kernel or service token with which the user worked. */
function Via({ entry, trans }: { entry: AuditEntry; trans: TranslationBundle }): React.JSX.Element | null {
  const { via, token } = entry;
  if (token !== null) {
    return <div className="jp-Colophon-subtitle">{trans.__('token %1', token.id)}</div>;
  }
  return via === null ? null : <div className="jp-Colophon-subtitle">{trans.__('kernel %1', via)}</div>;
}

function EntryRow({ entry, actions, trans }: Omit<IAuditProps, 'model'> & { entry: AuditEntry }): React.JSX.Element {
  const { seq, time, user, action, outcome, urn, detail, sensitive, count, program, run } = entry;
  const [name, meaning] = describeAction(action, trans);
  return (
    <tr data-seq={seq}>
      <td>
        <time dateTime={time}>{formatTime(time)}</time>
      </td>
      <td>
        {user}
        <Via entry={entry} trans={trans} />
      </td>
      <td title={meaning}>
        {name}
        {count > 1 && ` × ${count.toLocaleString()}`}
      </td>
      <td>
        {outcome === 'denied' ? <strong>{getOutcomeLabel(outcome, trans)}</strong> : getOutcomeLabel(outcome, trans)}
      </td>
      <td>
        <EntityLink urn={urn} actions={actions} />
        {sensitive && <div className="jp-Colophon-subtitle">{trans.__('sensitive')}</div>}
      </td>
      <td>{detail !== '' && <code>{detail}</code>}</td>
      <td>
        <EntityLink urn={program} actions={actions} />
        {run !== null && (
          <div>
            <button
              type="button"
              className="jp-Colophon-link jp-Colophon-subtitle"
              title={run}
              onClick={() => actions.openEntity(run)}
            >
              {trans.__('Show the run')}
            </button>
          </div>
        )}
      </td>
    </tr>
  );
}

function EntryTable(props: IAuditProps): React.JSX.Element {
  const { model, trans } = props;
  const { entries } = useModel(model);
  return (
    <ScrollableTable label={trans.__('Entries')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Time')}</th>
          <th scope="col">{trans.__('User')}</th>
          <th scope="col">{trans.__('Action')}</th>
          <th scope="col">{trans.__('Outcome')}</th>
          <th scope="col">{trans.__('Entity')}</th>
          <th scope="col">{trans.__('Detail')}</th>
          <th scope="col">{trans.__('Program')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(entry => (
          <EntryRow key={entry.seq} {...props} entry={entry} />
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** What the comparison of the audit with its seals has found. */
function Verification(props: { verification: IVerification; trans: TranslationBundle }): React.JSX.Element {
  const { verification, trans } = props;
  const { entries, problems, number, hash, finished } = verification;
  const count = trans._n('%1 entry was compared with its seal', '%1 entries were compared with their seals', entries);
  return (
    <div className={problems.length > 0 ? 'jp-Colophon-warning' : undefined}>
      <p>
        {count}
        {finished ? '.' : '…'}
      </p>
      {finished && problems.length === 0 && (
        <p>
          {number === 0
            ? trans.__('No problems found.')
            : trans.__('No problems found. Entry %1 has this hash:', number)}
        </p>
      )}
      {finished && problems.length === 0 && hash !== '' && (
        <p className="jp-Colophon-urn">
          <code>{hash}</code>
        </p>
      )}
      {problems.length > 0 && (
        <ul>
          {problems.map(problem => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Exports the entries that the filter selects, and verifies all entries. */
function Tools({ model, actions, trans }: IAuditProps): React.JSX.Element {
  const { busy, verification } = useModel(model);
  const save = async (type: 'csv' | 'jsonl'): Promise<void> => {
    const lines = await model.exportLines();
    if (lines !== null) {
      const content = type === 'csv' ? formatAuditCsv(lines) : lines;
      const mimeType = type === 'csv' ? 'text/csv' : 'application/x-ndjson';
      actions.download(`audit.${type}`, new Blob([content], { type: `${mimeType};charset=utf-8` }));
    }
  };
  const button = (label: string, disabled: boolean, action: () => void): React.JSX.Element => (
    <button type="button" className="jp-Colophon-button" disabled={disabled} onClick={action}>
      {label}
    </button>
  );
  return (
    <>
      <div className="jp-Colophon-actions">
        {button(trans.__('Refresh'), busy, () => void model.refresh())}
        {button(trans.__('Export as CSV'), busy, () => void save('csv'))}
        {button(trans.__('Export as JSON lines'), busy, () => void save('jsonl'))}
        {button(trans.__('Verify the chain'), verification?.finished === false, () => void model.verify())}
      </div>
      <div role="status">{verification && <Verification verification={verification} trans={trans} />}</div>
    </>
  );
}

/** Describes how many entries are listed. */
function describeEntries({ entries, cursor, filter }: IAuditState, trans: TranslationBundle): string {
  if (cursor !== null) {
    return trans._n('%1 entry; there may be earlier ones.', '%1 entries; there may be earlier ones.', entries.length);
  }
  if (entries.length > 0) {
    return trans._n('%1 entry.', '%1 entries.', entries.length);
  }
  return filter === NO_FILTER
    ? trans.__('No entries. The setting "audit" of the server determines whether access is recorded.')
    : trans.__('No entries match the filter.');
}

/** The body of the page. */
export function AuditBody(props: IAuditProps): React.JSX.Element {
  const { model, trans } = props;
  const { entries, cursor, busy, problem } = useModel(model);
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1>{trans.__('Audit log')}</h1>
      <p className="jp-Colophon-note">
        {trans.__('Who read or changed what is tagged confidential, and what was denied. Values are never recorded.')}
      </p>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {problem?.kind !== 'denied' && (
        <>
          <FilterForm {...props} />
          <Tools {...props} />
          {entries.length > 0 && <EntryTable {...props} />}
          <p role="status" className="jp-Colophon-note">
            {!busy && problem === null && describeEntries(model.state, trans)}
          </p>
          {cursor !== null && (
            <div>
              <button
                type="button"
                className="jp-Colophon-button"
                disabled={busy}
                onClick={() => void model.loadMore()}
              >
                {trans.__('Show earlier entries')}
              </button>
            </div>
          )}
        </>
      )}
    </div>
  );
}
