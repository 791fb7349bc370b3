import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { makeTagDraggable } from '../../../components/tag-drag';
import { Combobox } from '../../../forms/fields/combobox';
import type { IDescribedValue } from '../../../model/descriptors';
import { getScope } from '../../../model/descriptors';
import type { IDescriptorContext } from './descriptors';
import { DescriptorName, formatValueSource } from './descriptors';
import type { IPage } from '../page';
import { USER_ASPECT } from './user-metadata';

/** Whether users can remove a value: it is one of their tags. */
function isUserTag({ kind, sources }: IDescribedValue): boolean {
  return kind === 'tag' && sources.some(({ aspect }) => aspect === USER_ASPECT);
}

/** Loads the values of a key that other entities have, once. */
function useChoices(page: IPage, key: string): readonly string[] {
  const [choices, setChoices] = React.useState<readonly string[]>([]);
  React.useEffect(() => {
    let isCurrent = true;
    void page.model.listChoices(key).then(values => isCurrent && setChoices(values));
    return () => {
      isCurrent = false;
    };
  }, [page, key]);
  return choices;
}

/** An input for a tag, with the tags of other entities as suggestions. Enter adds, Escape cancels. */
function TagInput(props: {
  page: IPage;
  label: string;
  add: (tag: string) => void;
  close: () => void;
}): React.JSX.Element {
  const { page, label, add, close } = props;
  const { trans } = page;
  const [text, setText] = React.useState('');
  const choices = useChoices(page, 'tags');
  const box = React.useRef<HTMLDivElement>(null);
  const id = React.useId();
  React.useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.defaultPrevented && text.trim() !== '') {
      event.preventDefault();
      add(text.trim());
    } else if (event.key === 'Escape') {
      close();
    }
  };
  return (
    <div className="jp-Colophon-tagInput" ref={box} onKeyDown={onKeyDown}>
      <label className="jp-Colophon-visually-hidden" htmlFor={id}>
        {label}
      </label>
      <Combobox
        id={id}
        value={text}
        choices={choices}
        placeholder={trans.__('Tag')}
        describedBy=""
        invalid={false}
        required={false}
        trans={trans}
        onChange={setText}
        onLeave={() => text.trim() === '' && close()}
      />
    </div>
  );
}

/** Returns the change of tags that adds one. */
export function withTag(tag: string): (tags: readonly string[]) => readonly string[] {
  return tags => [...tags.filter(other => other !== tag), tag];
}

/** Tags, glossary terms and domains as chips; tags of users can be added and removed in place. */
export function TagRow(props: {
  page: IPage;
  values: readonly IDescribedValue[];
  /** The accessible name of the list. */
  label: string;
  /** What is tagged, for the names of the buttons; empty for the entity of the page. */
  target?: string;
  canEdit: boolean;
  change: (apply: (tags: readonly string[]) => readonly string[]) => void;
  context: IDescriptorContext;
}): React.JSX.Element | null {
  const { page, values, label, target = '', canEdit, change, context } = props;
  const { trans } = page;
  const [isAdding, setIsAdding] = React.useState(false);
  const button = React.useRef<HTMLButtonElement>(null);
  const addLabel = target === '' ? trans.__('Add a tag') : trans.__('Add a tag to %1', target);
  const close = (): void => {
    setIsAdding(false);
    window.setTimeout(() => button.current?.focus());
  };
  if (values.length === 0 && !canEdit) {
    return null;
  }
  return (
    <div className="jp-Colophon-tagRow">
      {values.length > 0 && (
        <ul className="jp-Colophon-tags" aria-label={label}>
          {values.map(value => (
            <li
              key={`${value.kind} ${value.name}`}
              className="jp-Colophon-tag"
              data-kind={value.kind}
              data-scope={getScope(value)}
              title={formatValueSource(value, context)}
              {...(value.kind === 'tag' && value.urn === null && makeTagDraggable(value.name))}
            >
              <DescriptorName value={value} context={context} tooltip={formatValueSource(value, context)} />
              <span className="jp-Colophon-visually-hidden"> {formatValueSource(value, context)}</span>
              {canEdit && isUserTag(value) && (
                <button
                  type="button"
                  className="jp-Colophon-remove"
                  aria-label={trans.__('Remove %1', value.name)}
                  onClick={() => change(tags => tags.filter(tag => tag !== value.name))}
                >
                  ×
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {canEdit &&
        (isAdding ? (
          <TagInput
            page={page}
            label={addLabel}
            add={tag => {
              change(withTag(tag));
              close();
            }}
            close={close}
          />
        ) : (
          <button
            ref={button}
            type="button"
            className={values.length === 0 && target === '' ? 'jp-Colophon-prompt' : 'jp-Colophon-tool'}
            title={addLabel}
            aria-label={addLabel}
            onClick={() => setIsAdding(true)}
          >
            <addIcon.react tag="span" width="14px" />
            {values.length === 0 && target === '' && addLabel}
          </button>
        ))}
    </div>
  );
}
