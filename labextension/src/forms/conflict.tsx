import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import { formatTime } from '../components/labels';
import { useModel } from '../components/use-model';
import type { NamePlace } from '../model/difference';
import { formatValue } from '../model/difference';
import { nameField } from '../model/schemas/field-names';
import type { Editor } from '../model/editing/editor';
import type { IFieldConflict, Winner } from '../model/editing/merge-conflict';
import { mergeVersions } from '../model/editing/merge-conflict';

/** How the fields of a document are displayed. */
export interface IConflictView {
  /** Removes what is not displayed. */
  toView: (value: ReadonlyJSONObject) => ReadonlyJSONObject;
  namePlace: NamePlace;
  format: (value: unknown) => string;
}

const PLAIN: IConflictView = { toView: value => value, namePlace: nameField, format: formatValue };

interface ISideProps {
  name: string;
  value: string | null;
  label: string;
  isChosen: boolean;
  choose: () => void;
  trans: TranslationBundle;
}

function Side({ name, value, label, isChosen, choose, trans }: ISideProps): React.JSX.Element {
  return (
    <td>
      {value === null ? (
        <span className="jp-Colophon-note">{trans.__('none')}</span>
      ) : (
        <div className="jp-Colophon-clamped">{value}</div>
      )}
      <button
        type="button"
        className="jp-Colophon-button"
        aria-pressed={isChosen}
        aria-label={trans.__('%1: %2', label, name)}
        onClick={choose}
      >
        {label}
      </button>
    </td>
  );
}

interface IFieldsProps {
  editor: Editor;
  /** The fields that are displayed. */
  fields: readonly IFieldConflict[];
  view: IConflictView;
  actor: string;
  trans: TranslationBundle;
}

/** The fields of a conflict; the result is saved when a side of each field is chosen. */
function Fields({ editor, fields, view, actor, trans }: IFieldsProps): React.JSX.Element {
  const [choices, setChoices] = React.useState<ReadonlyMap<string, Winner>>(new Map());
  const choose = (pointer: string, winner: Winner): void => {
    const next = new Map(choices).set(pointer, winner);
    setChoices(next);
    if (next.size === fields.length) {
      void editor.resolve(next);
    }
  };
  const format = (value: unknown): string | null => (value === undefined ? null : view.format(value));
  return (
    <table className="jp-Colophon-values jp-Colophon-conflict-table" aria-label={trans.__('Differences')}>
      <thead>
        <tr>
          <td />
          <th scope="col">{trans.__('Your version')}</th>
          <th scope="col">{trans.__('Version of %1', actor)}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ pointer, mine, theirs }) => {
          const name = view.namePlace(pointer) ?? pointer;
          const side = (winner: Winner, value: unknown, label: string): React.JSX.Element => (
            <Side
              name={name}
              value={format(value)}
              label={label}
              isChosen={choices.get(pointer) === winner}
              choose={() => choose(pointer, winner)}
              trans={trans}
            />
          );
          return (
            <tr key={pointer}>
              <th scope="row">{name}</th>
              {side('mine', mine, trans.__('Keep mine'))}
              {side('theirs', theirs, trans.__('Keep theirs'))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** An edit conflict: the fields that two users changed, and the choice between the two values of each. */
export function Conflict(props: {
  editor: Editor;
  /** By default, documents are displayed unchanged. */
  view?: IConflictView;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { editor, trans, view = PLAIN } = props;
  const { conflict, draft } = useModel(editor);
  const { ancestor } = editor;
  const box = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => box.current?.focus(), [conflict]);
  const fields = React.useMemo(() => {
    const overlapping = new Set(conflict?.fields.map(({ pointer }) => pointer));
    const shown = conflict && mergeVersions(view.toView(ancestor), view.toView(draft), view.toView(conflict.value));
    return shown?.conflicts.filter(({ pointer }) => overlapping.has(pointer) && view.namePlace(pointer) !== null) ?? [];
  }, [conflict, view, ancestor, draft]);
  if (!conflict) {
    return null;
  }
  const actor = conflict.actor === '' ? trans.__('another user') : conflict.actor;
  return (
    <div className="jp-Colophon-conflict" role="alertdialog" aria-label={trans.__('Conflict')} tabIndex={-1} ref={box}>
      <strong>{trans.__('Changed by %1, %2, while you were editing.', actor, formatTime(conflict.time))}</strong>
      <p className="jp-Colophon-note">{trans.__('Changes of other fields are kept. Choose a value for each field:')}</p>
      <Fields editor={editor} fields={fields} view={view} actor={actor} trans={trans} />
      {fields.length !== 1 && (
        <div className="jp-Colophon-actions">
          <button type="button" className="jp-Colophon-button" onClick={() => void editor.resolve('mine')}>
            {trans.__('Keep all mine')}
          </button>
          <button type="button" className="jp-Colophon-button" onClick={() => void editor.resolve('theirs')}>
            {trans.__('Keep all theirs')}
          </button>
        </div>
      )}
    </div>
  );
}
