import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { IEntry, ReferenceKind } from '../../model/search/vocabulary';
import { createKey, toCarrierQuery, TYPES } from '../../model/search/vocabulary';
import type { IVocabularyProps } from './body';

interface IEntriesProps extends IVocabularyProps {
  kind: ReferenceKind;
}

/** The form of a new entry. Enter creates it, Escape cancels. */
function NewEntry(props: IEntriesProps & { initialName: string; close: () => void }): React.JSX.Element {
  const { model, kind, trans, initialName, close } = props;
  const types = TYPES[kind];
  const [type, setType] = React.useState(types[0] ?? '');
  const [name, setName] = React.useState(initialName);
  const [description, setDescription] = React.useState('');
  const id = React.useId();
  const create = async (): Promise<void> => {
    if ((await model.create({ type, name: name.trim(), description: description.trim() })) !== null) {
      close();
    }
  };
  return (
    <form
      className="jp-Colophon-form jp-Colophon-newEntry"
      aria-label={trans.__('New entry')}
      onKeyDown={event => event.key === 'Escape' && close()}
      onSubmit={event => {
        event.preventDefault();
        void create();
      }}
    >
      {types.length > 1 && (
        <label htmlFor={`${id}-type`}>
          {trans.__('Type')}
          <select id={`${id}-type`} value={type} onChange={event => setType(event.target.value)}>
            {types.map(other => (
              <option key={other} value={other}>
                {getTypeLabel(other, trans)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label htmlFor={`${id}-name`}>
        {trans.__('Name')}
        <input
          id={`${id}-name`}
          type="text"
          autoFocus
          required
          value={name}
          onChange={event => setName(event.target.value)}
        />
      </label>
      <label htmlFor={`${id}-description`}>
        {trans.__('Description')}
        <textarea
          id={`${id}-description`}
          rows={3}
          value={description}
          onChange={event => setDescription(event.target.value)}
        />
      </label>
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={createKey(name) === ''}>
          {trans.__('Create')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}

/** The description of an entry, edited in place: Ctrl+Enter saves, Escape cancels. */
function Description({ model, trans, entry }: IEntriesProps & { entry: IEntry }): React.JSX.Element {
  const { mayCreate } = useModel(model);
  const [draft, setDraft] = React.useState<string | null>(null);
  const save = (): void => {
    void model.describe(entry, (draft ?? '').trim());
    setDraft(null);
  };
  if (draft === null) {
    return mayCreate && entry.urn !== null ? (
      <button
        type="button"
        className={entry.description === '' ? 'jp-Colophon-prompt' : 'jp-Colophon-link jp-Colophon-plain'}
        aria-label={trans.__('Edit the description of %1', entry.name)}
        onClick={() => setDraft(entry.description)}
      >
        {entry.description === '' ? trans.__('Describe') : entry.description}
      </button>
    ) : (
      <>{entry.description}</>
    );
  }
  return (
    <form
      className="jp-Colophon-form jp-Colophon-inlineForm"
      onSubmit={event => {
        event.preventDefault();
        save();
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          setDraft(null);
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save();
        }
      }}
    >
      <textarea
        rows={3}
        autoFocus
        aria-label={trans.__('Description of %1', entry.name)}
        value={draft}
        onChange={event => setDraft(event.target.value)}
      />
      <button type="submit" className="jp-Colophon-button jp-mod-primary">
        {trans.__('Save')}
      </button>
      <button type="button" className="jp-Colophon-button" onClick={() => setDraft(null)}>
        {trans.__('Cancel')}
      </button>
    </form>
  );
}

function EntryRow(props: IEntriesProps & { entry: IEntry; describe: (name: string) => void }): React.JSX.Element {
  const { model, actions, kind, entry, describe, trans } = props;
  const { mayCreate } = useModel(model);
  const { key, name, urn, type, carriers } = entry;
  return (
    <tr data-key={key}>
      <th scope="row" title={urn ?? undefined}>
        {urn === null ? (
          name
        ) : (
          <button type="button" className="jp-Colophon-link" onClick={() => actions.openEntity(urn)}>
            {name}
          </button>
        )}
        {TYPES[kind].length > 1 && type !== '' && (
          <span className="jp-Colophon-note"> {getTypeLabel(type, trans)}</span>
        )}
      </th>
      <td className="jp-Colophon-text-cell">
        {urn === null && mayCreate ? (
          <button
            type="button"
            className="jp-Colophon-prompt"
            aria-label={trans.__('Create an entry for %1', name)}
            onClick={() => describe(name)}
          >
            {trans.__('Used without a description: create an entry')}
          </button>
        ) : (
          <Description {...props} />
        )}
      </td>
      <td className="jp-Colophon-number">
        <button
          type="button"
          className="jp-Colophon-link"
          aria-label={trans._n('%1 entity with %2', '%1 entities with %2', carriers, name)}
          onClick={() => actions.search(toCarrierQuery(kind, key))}
        >
          {carriers.toLocaleString()}
        </button>
      </td>
    </tr>
  );
}

/** Returns the label of the button that creates an entry. */
function getCreateLabel(kind: ReferenceKind, { trans }: IVocabularyProps): string {
  return {
    term: trans.__('New glossary term'),
    domain: trans.__('New domain'),
    owner: trans.__('New owner')
  }[kind];
}

/** Glossary terms, domains or owners: created, described, and searched by what carries them. */
export function Entries(props: IEntriesProps): React.JSX.Element {
  const { model, kind, trans } = props;
  const { entries, hasMore, mayCreate, busy } = useModel(model);
  /** The name of the entry that is being created; null if there is none. */
  const [newName, setNewName] = React.useState<string | null>(null);
  return (
    <>
      {mayCreate &&
        (newName === null ? (
          <button type="button" className="jp-Colophon-prompt" onClick={() => setNewName('')}>
            <addIcon.react tag="span" width="14px" />
            {getCreateLabel(kind, props)}
          </button>
        ) : (
          <NewEntry {...props} key={newName} initialName={newName} close={() => setNewName(null)} />
        ))}
      {entries.length > 0 ? (
        <ScrollableTable label={trans.__('Entries')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Name')}</th>
              <th scope="col">{trans.__('Description')}</th>
              <th scope="col" className="jp-Colophon-number">
                {trans.__('Entities')}
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map(entry => (
              <EntryRow key={entry.key} {...props} entry={entry} describe={setNewName} />
            ))}
          </tbody>
        </ScrollableTable>
      ) : (
        !busy && <p className="jp-Colophon-note">{trans.__('No entries.')}</p>
      )}
      {hasMore && (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreEntries()}>
          {trans.__('More entries')}
        </button>
      )}
    </>
  );
}
