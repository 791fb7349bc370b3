import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatTable, getTypeLabel } from '../../components/labels';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { getTypeIcon } from '../../icons';
import { parseNotebookUrn } from '../../model/urns';
import type { IChoice, IPickerState, PickerModel } from './model';

const LIST_ID = 'jp-colophon-choices';

interface IPickerProps {
  model: PickerModel;
  /** Accepts the selected entity. */
  accept: () => void;
  trans: TranslationBundle;
}

function getOptionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

/** Returns the path in a hierarchy, the notebook of a cell, else the namespace. */
function getPlace({ urn, namespace, path }: IChoice): string {
  if (path !== undefined && path !== '') {
    return path;
  }
  const place = parseNotebookUrn(urn);
  return place?.cell === undefined ? namespace : place.path;
}

function Choice(props: IPickerProps & { choice: IChoice; index: number; isSelected: boolean }): React.JSX.Element {
  const { model, accept, trans, choice, index, isSelected } = props;
  const Icon = getTypeIcon(choice.type).react;
  const node = React.useRef<HTMLLIElement>(null);
  React.useEffect(() => {
    if (isSelected) {
      node.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [isSelected]);
  return (
    // The keyboard is handled by the text field, which keeps the focus.
    <li
      ref={node}
      role="option"
      id={getOptionId(index)}
      aria-selected={isSelected}
      title={choice.urn}
      data-urn={choice.urn}
      className="jp-Colophon-pickerChoice"
      onClick={() => {
        model.select(index);
        accept();
      }}
    >
      <Icon tag="span" aria-hidden="true" />
      <span className="jp-Colophon-name">
        {choice.name} {formatTable(choice.urn, trans)}
      </span>
      <span className="jp-Colophon-subtitle">
        {trans.__('%1 in %2', getTypeLabel(choice.type, trans), getPlace(choice))}
      </span>
    </li>
  );
}

function getSummary(
  model: PickerModel,
  { text, choices, busy, problem }: IPickerState,
  trans: TranslationBundle
): string {
  if (busy || problem !== null) {
    return '';
  }
  if (choices.length > 0) {
    return model.listsRecent
      ? trans.__('Recently changed or used')
      : trans._n('%1 entity', '%1 entities', choices.length);
  }
  if (text.trim() === '') {
    return model.creationNote === '' ? trans.__('Type a name.') : trans.__('There is none yet. %1', model.creationNote);
  }
  return trans.__('No entity matches. Words match names, tags and values. %1', model.creationNote).trimEnd();
}

/** A text field with the list of matching entities. */
export function PickerBody(props: IPickerProps): React.JSX.Element {
  const { model, trans } = props;
  const state = useModel(model);
  const { text, choices, selected, problem } = state;
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      model.move(event.key === 'ArrowDown' ? 1 : -1);
    }
  };
  return (
    <>
      <input
        type="search"
        role="combobox"
        className="jp-mod-styled"
        aria-label={trans.__('Name of the entity')}
        aria-expanded={choices.length > 0}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        {...(selected >= 0 && { 'aria-activedescendant': getOptionId(selected) })}
        placeholder={trans.__('Name, tag or value')}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => model.setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p role="status" className="jp-Colophon-note">
        {getSummary(model, state, trans)}
      </p>
      {problem && <ProblemNote problem={problem} trans={trans} />}
      <ul role="listbox" id={LIST_ID} aria-label={trans.__('Entities')}>
        {choices.map((choice, index) => (
          <Choice key={choice.urn} {...props} choice={choice} index={index} isSelected={index === selected} />
        ))}
      </ul>
    </>
  );
}
