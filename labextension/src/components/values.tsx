import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { flattenValues, listTags } from '../model/merge-conflict';
import { formatValue } from '../model/difference';
import { LongText } from './long-text';
import { TagList } from './tags';

const LINK = /^(https?:\/\/|mailto:)\S+$/i;

/** A text written by users; it is a link only if it consists of a URL. */
function Text(props: { text: string; trans: TranslationBundle }): React.JSX.Element {
  const { text, trans } = props;
  return LINK.test(text) ? (
    <a href={text} target="_blank" rel="noopener noreferrer nofollow">
      {text}
    </a>
  ) : (
    <LongText text={text} trans={trans} />
  );
}

function Pairs(props: { pairs: readonly (readonly [string, unknown])[]; trans: TranslationBundle }): React.JSX.Element {
  return (
    <table className="jp-Colophon-values" aria-label={props.trans.__('Properties')}>
      <tbody>
        {props.pairs.map(([key, value]) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <td>
              <Text text={formatValue(value, key)} trans={props.trans} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The value of an aspect: its tags, and its properties as a table; `emptyText` is shown if there are none. */
export function AspectValue(props: { value: object; trans: TranslationBundle; emptyText?: string }): React.JSX.Element {
  const { trans } = props;
  const value = props.value as Record<string, unknown>;
  const tags = listTags(value);
  const pairs = flattenValues(value);
  return (
    <div className="jp-Colophon-value-block">
      <TagList tags={tags} label={trans.__('Tags')} />
      {pairs.length > 0 && <Pairs pairs={pairs} trans={trans} />}
      {tags.length + pairs.length === 0 && (
        <p className="jp-Colophon-note">{props.emptyText ?? trans.__('Nothing yet.')}</p>
      )}
    </div>
  );
}
