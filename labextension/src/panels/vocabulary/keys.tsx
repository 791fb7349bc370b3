import { addIcon, caretDownEmptyIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { ScrollableTable } from '../../components/scrollable-table';
import { DraggableTag } from '../../components/tag-drag';
import { useModel } from '../../components/use-model';
import type { Key } from '../../model/search/query';
import { toKeyQuery } from '../../model/search/query';
import { quoteTerm } from '../../model/search/query-terms';
import type { IVocabularyProps } from './body';
import type { IKeyList } from './model';

/** The number of values of a key, as a button that shows them. */
function ValuesButton(props: IVocabularyProps & { item: Key }): React.JSX.Element | null {
  const { model, item, trans } = props;
  const isOpen = useModel(model).values.has(item.key);
  if (item.values === undefined) {
    return null;
  }
  const { count, isLowerBound } = item.values;
  const number = count.toLocaleString();
  return (
    <button
      type="button"
      className="jp-Colophon-link"
      aria-expanded={isOpen}
      aria-label={trans._n('%1 value of %2', '%1 values of %2', count, item.key)}
      onClick={() => void model.toggleValues(item.key)}
    >
      {isLowerBound ? trans.__('more than %1', number) : number}
      <caretDownEmptyIcon.react tag="span" width="14px" />
    </button>
  );
}

/** The values of a key with their numbers of entities; a click searches. */
function Values(props: IVocabularyProps & { item: Key }): React.JSX.Element | null {
  const { model, actions, item, trans } = props;
  const list = useModel(model).values.get(item.key);
  if (list === undefined) {
    return null;
  }
  return (
    <tr>
      <td colSpan={4}>
        {list.problem && <ProblemNote problem={list.problem} trans={trans} />}
        <ul className="jp-Colophon-values" aria-label={trans.__('Values of %1', item.key)}>
          {list.values.map(({ value, entities }) => (
            <li key={value}>
              <button
                type="button"
                className="jp-Colophon-link"
                onClick={() => actions.search(quoteTerm(`${item.key}:${value}`))}
              >
                {value}
              </button>{' '}
              <span className="jp-Colophon-count">{entities.toLocaleString()}</span>
            </li>
          ))}
        </ul>
        {list.cursor !== null && (
          <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreValues(item.key)}>
            {trans.__('More values')}
          </button>
        )}
      </td>
    </tr>
  );
}

/** A button that adds a tag to an entity that is chosen by its name. */
function AddButton({ actions, tag, trans }: IVocabularyProps & { tag: string }): React.JSX.Element {
  const label = trans.__('Add the tag %1 to a table or a column…', tag);
  return (
    <button
      type="button"
      className="jp-Colophon-tool"
      title={label}
      aria-label={label}
      onClick={() => actions.addTag(tag)}
    >
      <addIcon.react tag="span" width="14px" />
    </button>
  );
}

function KeyRow(props: IVocabularyProps & { item: Key }): React.JSX.Element {
  const { actions, item, trans } = props;
  const { key, kind, entities } = item;
  const kinds = { property: trans.__('key'), tag: trans.__('tag'), field: trans.__('columns') };
  const search = (): void => actions.search(toKeyQuery(item));
  return (
    <>
      <tr data-key={key} data-kind={kind}>
        <th scope="row">
          {kind === 'tag' ? (
            <>
              <DraggableTag tag={key} open={search} trans={trans} />
              <AddButton {...props} tag={key} />
            </>
          ) : (
            <button type="button" className="jp-Colophon-link" onClick={search}>
              {key}
            </button>
          )}
        </th>
        <td>{kinds[kind]}</td>
        <td className="jp-Colophon-number">{entities.toLocaleString()}</td>
        <td className="jp-Colophon-number">
          <ValuesButton {...props} />
        </td>
      </tr>
      {kind !== 'tag' && <Values {...props} />}
    </>
  );
}

function KeyTable(props: IVocabularyProps & { list: IKeyList; scope: Key['scope'] }): React.JSX.Element {
  const { model, list, scope, trans } = props;
  const label = scope === 'USER' ? trans.__('Keys and tags of users') : trans.__('Keys and tags of programs');
  return (
    <>
      <ScrollableTable label={label}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Name')}</th>
            <th scope="col">{trans.__('Kind')}</th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Entities')}
            </th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Values')}
            </th>
          </tr>
        </thead>
        <tbody>
          {list.keys.map(item => (
            <KeyRow key={`${item.kind} ${item.key}`} {...props} item={item} />
          ))}
        </tbody>
      </ScrollableTable>
      {list.cursor !== null && (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreKeys(scope)}>
          {trans.__('More keys')}
        </button>
      )}
    </>
  );
}

/** All keys and tags with their counts; those that only programs write are folded. */
export function KeyTables(props: IVocabularyProps): React.JSX.Element {
  const { model, trans } = props;
  const { userKeys, systemKeys, busy, text } = useModel(model);
  return (
    <>
      {userKeys.keys.length > 0 ? (
        <KeyTable {...props} list={userKeys} scope="USER" />
      ) : (
        !busy && (
          <p className="jp-Colophon-note">
            {text.trim() === ''
              ? trans.__('No keys or tags yet: describe or tag a table.')
              : trans.__('No key or tag of users begins with this text.')}
          </p>
        )
      )}
      <button
        type="button"
        className="jp-Colophon-prompt"
        aria-expanded={systemKeys !== null}
        onClick={() => void model.toggleSystemKeys()}
      >
        {trans.__('More: keys and tags of programs')}
        <caretDownEmptyIcon.react tag="span" width="14px" />
      </button>
      {systemKeys !== null &&
        (systemKeys.keys.length > 0 ? (
          <KeyTable {...props} list={systemKeys} scope="SYSTEM" />
        ) : (
          <p className="jp-Colophon-note">{trans.__('Programs have written none.')}</p>
        ))}
    </>
  );
}
