import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import type { IClashes } from '../model/clash';
import { clashes } from '../model/clash';
import type { Editor } from '../model/editor';
import { TagList } from '../components/tags';
import { useModel } from '../components/use-model';
import { moment } from '../components/words';

function Side(props: { value: string | undefined; trans: TranslationBundle }): React.JSX.Element {
  const { value, trans } = props;
  return (
    <td>
      {value === undefined ? (
        <span className="jp-Colophon-note">{trans.__('not there')}</span>
      ) : (
        <div className="jp-Colophon-clamped">{value}</div>
      )}
    </td>
  );
}

function TagSides(props: { tags: IClashes['tags']; trans: TranslationBundle }): React.JSX.Element {
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

function Clashes(props: { found: IClashes; actor: string; trans: TranslationBundle }): React.JSX.Element {
  const { found, actor, trans } = props;
  const tagsDiffer = found.tags.mine.length + found.tags.theirs.length > 0;
  if (found.pairs.length === 0 && !tagsDiffer) {
    return <p className="jp-Colophon-note">{trans.__('Both versions say the same.')}</p>;
  }
  return (
    <table className="jp-Colophon-values jp-Colophon-clashes" aria-label={trans.__('What differs')}>
      <thead>
        <tr>
          <td />
          <th scope="col">{trans.__('Your version')}</th>
          <th scope="col">{trans.__('Version of %1', actor)}</th>
        </tr>
      </thead>
      <tbody>
        {found.pairs.map(({ key, mine, theirs }) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <Side value={mine} trans={trans} />
            <Side value={theirs} trans={trans} />
          </tr>
        ))}
        {tagsDiffer && <TagSides tags={found.tags} trans={trans} />}
      </tbody>
    </table>
  );
}

/** Somebody else saved first: what differs side by side, and the choice between the two. */
export function Conflict(props: {
  editor: Editor;
  /** How a version is shown; as it is, if nothing is said. */
  view?: (value: ReadonlyJSONObject) => object;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { editor, trans, view = value => value } = props;
  const { conflict, draft } = useModel(editor);
  const box = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => box.current?.focus(), [conflict]);
  if (!conflict) {
    return null;
  }
  const actor = conflict.actor === '' ? trans.__('somebody else') : conflict.actor;
  return (
    <div className="jp-Colophon-conflict" role="alertdialog" aria-label={trans.__('Conflict')} tabIndex={-1} ref={box}>
      <strong>{trans.__('Changed by %1, %2, while you were editing.', actor, moment(conflict.time))}</strong>
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => void editor.resolve('mine')}>
          {trans.__('Save mine over theirs')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={() => void editor.resolve('theirs')}>
          {trans.__('Take theirs')}
        </button>
      </div>
      <Clashes found={clashes(view(draft), view(conflict.value))} actor={actor} trans={trans} />
    </div>
  );
}
