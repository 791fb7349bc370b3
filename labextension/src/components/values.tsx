import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatValue } from '../model/difference';
import { shortenUrn } from '../model/urns';
import { LongText } from './long-text';
import { TagList } from './tags';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists the members of a value; those of `properties` and `customProperties` are included as own members. */
function flattenValues(value: Record<string, unknown>): (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'tags' && Array.isArray(inner)) {
      return [];
    }
    return (key === 'properties' || key === 'customProperties') && isObject(inner)
      ? Object.entries(inner)
      : [[key, inner] as const];
  });
}

/** Lists the tags of a value as text. */
function listTags(value: Record<string, unknown>): string[] {
  const tags: unknown[] = Array.isArray(value['tags']) ? value['tags'] : [];
  // In the format of DataHub, a tag is a reference.
  return tags.map(tag => (isObject(tag) && typeof tag['tag'] === 'string' ? shortenUrn(tag['tag']) : formatValue(tag)));
}

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
