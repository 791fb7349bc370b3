import { addIcon, moveDownIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ShortForm } from '../../components/short-form';
import { getTypeLabel } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import { formatPath, getParentType } from '../../model/search/hierarchy';
import type { IEntry, ReferenceKind } from '../../model/search/vocabulary';
import { createKey, LISTED_TYPES, toCarrierQuery, TYPES } from '../../model/search/vocabulary';
import type { IVocabularyProps } from './body';

/** The indentation of an entry for each of its ancestors, in pixels. */
const INDENT = 16;

interface IEntriesProps extends IVocabularyProps {
  kind: ReferenceKind;
}

/** Chooses what an entry is in; nothing if there is no hierarchy. */
function ParentSelect(
  props: IEntriesProps & {
    type: string;
    /** The URN of the entry, which cannot be in itself. */
    exclude: string | null;
    parent: string | null;
    choose: (parent: string | null) => void;
  }
): React.JSX.Element | null {
  const { model, trans, type, exclude, parent, choose } = props;
  const { entries } = useModel(model);
  const parentType = getParentType(type);
  const parents = entries.filter(entry => entry.type === parentType && entry.urn !== exclude);
  const id = React.useId();
  return parentType === undefined || parents.length === 0 ? null : (
    <label htmlFor={id}>
      {trans.__('In')}
      <select id={id} value={parent ?? ''} onChange={event => choose(event.target.value || null)}>
        <option value="">{trans.__('At the top')}</option>
        {parents.map(({ urn, name, ancestors }) => (
          <option key={urn} value={urn ?? ''}>
            {formatPath([...ancestors, { urn: urn ?? '', name }])}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A button that moves an entry in its hierarchy; nothing if there is no hierarchy. */
function Move(props: IEntriesProps & { entry: IEntry }): React.JSX.Element | null {
  const { model, trans, entry } = props;
  const { mayCreate } = useModel(model);
  const [isOpen, setOpen] = React.useState(false);
  if (!mayCreate || entry.urn === null || getParentType(entry.type) === undefined) {
    return null;
  }
  const move = (parent: string | null): void => {
    setOpen(false);
    void model.move(entry, parent);
  };
  return isOpen ? (
    <ParentSelect
      {...props}
      type={entry.type}
      exclude={entry.urn}
      parent={entry.ancestors.at(-1)?.urn ?? null}
      choose={move}
    />
  ) : (
    <button
      type="button"
      className="jp-Colophon-tool"
      title={trans.__('Move %1', entry.name)}
      aria-label={trans.__('Move %1', entry.name)}
      onClick={() => setOpen(true)}
    >
      <moveDownIcon.react tag="span" width="14px" />
    </button>
  );
}

/** The form of a new entry. Enter creates it, Escape cancels. */
function NewEntry(props: IEntriesProps & { initialName: string; close: () => void }): React.JSX.Element {
  const { model, kind, trans, initialName, close } = props;
  const types = LISTED_TYPES[kind];
  const [type, setType] = React.useState(types[0] ?? '');
  const [name, setName] = React.useState(initialName);
  const [description, setDescription] = React.useState('');
  const [parent, setParent] = React.useState<string | null>(null);
  const id = React.useId();
  const create = async (): Promise<void> => {
    if ((await model.create({ type, name: name.trim(), description: description.trim(), parent })) !== null) {
      close();
    }
  };
  return (
    <ShortForm
      className="jp-Colophon-newEntry"
      label={trans.__('New entry')}
      submit={() => void create()}
      close={close}
    >
      {types.length > 1 && (
        <label htmlFor={`${id}-type`}>
          {trans.__('Type')}
          <select
            id={`${id}-type`}
            value={type}
            onChange={event => {
              setType(event.target.value);
              setParent(null);
            }}
          >
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
      <ParentSelect {...props} type={type} exclude={null} parent={parent} choose={setParent} />
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={createKey(name) === ''}>
          {trans.__('Create')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
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
  const { key, name, urn, type, carriers, ancestors } = entry;
  const isBelowParent = useModel(model).entries.some(other => other.urn === ancestors.at(-1)?.urn);
  return (
    <tr data-key={key}>
      <th
        scope="row"
        title={urn ?? undefined}
        style={isBelowParent ? { paddingLeft: 8 + INDENT * ancestors.length } : undefined}
      >
        {urn === null ? (
          name
        ) : (
          <button type="button" className="jp-Colophon-link" onClick={() => actions.openEntity(urn)}>
            {name}
          </button>
        )}
        {ancestors.length > 0 && !isBelowParent && (
          <span className="jp-Colophon-note"> {trans.__('in %1', formatPath(ancestors))}</span>
        )}
        <Move {...props} />
        {type !== '' && (TYPES[kind].length > 1 || !TYPES[kind].includes(type)) && (
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
