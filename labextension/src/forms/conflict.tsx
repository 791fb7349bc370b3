import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import type { IConflict } from '../model/merge-conflict';
import { compareVersions } from '../model/merge-conflict';
import type { Editor } from '../model/editor';
import { TagList } from '../components/tags';
import { useModel } from '../components/use-model';
import { formatTime } from '../components/labels';

function Side(props: { value: string | undefined; trans: TranslationBundle }): React.JSX.Element {
  const { value, trans } = props;
  return (
    <td>
      {value === undefined ? (
        <span className="jp-Colophon-note">{trans.__('none')}</span>
      ) : (
        <div className="jp-Colophon-clamped">{value}</div>
      )}
    </td>
  );
}

function TagSides(props: { tags: IConflict['tags']; trans: TranslationBundle }): React.JSX.Element {
  const { tags, trans } = props;
  return (
    <tr>
      <th scope="row">{trans.__('Tags')}</th>
      <td>
        <TagList tags={tags.mine} label={trans.__('Tags only in your version')} />
      </td>
      <td>
        <TagList tags={tags.theirs} label={trans.__('Tags only in their version')} />
      </td>
    </tr>
  );
}

function DifferenceTable(props: { conflict: IConflict; actor: string; trans: TranslationBundle }): React.JSX.Element {
  const { conflict, actor, trans } = props;
  const tagsDiffer = conflict.tags.mine.length + conflict.tags.theirs.length > 0;
  if (conflict.pairs.length === 0 && !tagsDiffer) {
    return <p className="jp-Colophon-note">{trans.__('The versions are identical.')}</p>;
  }
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
        {conflict.pairs.map(({ key, mine, theirs }) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <Side value={mine} trans={trans} />
            <Side value={theirs} trans={trans} />
          </tr>
        ))}
        {tagsDiffer && <TagSides tags={conflict.tags} trans={trans} />}
      </tbody>
    </table>
  );
}

/** An edit conflict: the differences side by side, and the choice between the two versions. */
export function Conflict(props: {
  editor: Editor;
  /** Converts a version for display; by default, it is displayed unchanged. */
  toView?: (value: ReadonlyJSONObject) => object;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { editor, trans, toView = value => value } = props;
  const { conflict, draft } = useModel(editor);
  const box = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => box.current?.focus(), [conflict]);
  if (!conflict) {
    return null;
  }
  const actor = conflict.actor === '' ? trans.__('another user') : conflict.actor;
  return (
    <div className="jp-Colophon-conflict" role="alertdialog" aria-label={trans.__('Conflict')} tabIndex={-1} ref={box}>
      <strong>{trans.__('Changed by %1, %2, while you were editing.', actor, formatTime(conflict.time))}</strong>
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => void editor.resolve('mine')}>
          {trans.__('Overwrite with mine')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={() => void editor.resolve('theirs')}>
          {trans.__('Use theirs')}
        </button>
      </div>
      <DifferenceTable conflict={compareVersions(toView(draft), toView(conflict.value))} actor={actor} trans={trans} />
    </div>
  );
}
