import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatValue } from '../model/difference';
import type { Schema } from '../model/schemas/form-schema';
import { isObject } from '../model/schemas/form-schema';
import { shortenUrn } from '../model/urns';
import { formatTime } from './labels';
import { LongText } from './long-text';

const URN = /^urn:li:\w+:\S+$/;
const LINK = /^(https?:\/\/|mailto:)\S+$/i;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
/** The member of instances whose items are the lines of a source text. */
const CODE = 'code';
/** Deeper values are shown as JSON. */
const MAX_DEPTH = 4;

interface IContext {
  open: (urn: string) => void;
  trans: TranslationBundle;
}

interface IValueProps {
  value: unknown;
  /** The name of the member that has the value. */
  name: string;
  schema: Schema | undefined;
  depth: number;
  context: IContext;
}

function getMemberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.['properties'];
  const member = isObject(properties) ? properties[name] : schema?.['additionalProperties'];
  return isObject(member) ? member : undefined;
}

function getTitle(schema: Schema | undefined, name: string): string {
  const title = schema?.['title'];
  return typeof title === 'string' && title !== '' ? title : name;
}

function Text({ text, name, context }: { text: string; name: string; context: IContext }): React.JSX.Element {
  const { open, trans } = context;
  if (URN.test(text)) {
    return (
      <button type="button" className="jp-Colophon-link" title={text} onClick={() => open(text)}>
        {shortenUrn(text)}
      </button>
    );
  }
  if (LINK.test(text)) {
    return (
      <a href={text} target="_blank" rel="noopener noreferrer nofollow">
        {text}
      </a>
    );
  }
  return TIME.test(text) ? (
    <time dateTime={text}>{formatTime(text)}</time>
  ) : (
    <LongText text={formatValue(text, name)} trans={trans} />
  );
}

function List({ value, name, schema, depth, context }: IValueProps & { value: readonly unknown[] }): React.JSX.Element {
  const items = schema?.['items'];
  if (name === CODE && value.every(line => typeof line === 'string')) {
    return <pre className="jp-Colophon-source">{value.join('\n')}</pre>;
  }
  const isPlain = value.every(item => !isObject(item) && !Array.isArray(item));
  return (
    <ul className={isPlain ? 'jp-Colophon-plainList' : 'jp-Colophon-itemList'}>
      {value.map((item, index) => (
        <li key={index}>
          <Value
            value={item}
            name={name}
            schema={isObject(items) ? items : undefined}
            depth={depth + 1}
            context={context}
          />
        </li>
      ))}
    </ul>
  );
}

function Value(props: IValueProps): React.JSX.Element {
  const { value, name, depth, context } = props;
  if (depth > MAX_DEPTH && typeof value === 'object') {
    return <code>{JSON.stringify(value)}</code>;
  }
  if (Array.isArray(value)) {
    return <List {...props} value={value} />;
  }
  if (isObject(value)) {
    return <Members {...props} value={value} />;
  }
  if (typeof value === 'boolean') {
    return <>{value ? context.trans.__('yes') : context.trans.__('no')}</>;
  }
  return typeof value === 'string' ? (
    <Text text={value} name={name} context={context} />
  ) : (
    <>{value === null ? '' : formatValue(value, name)}</>
  );
}

function Members({ value, schema, depth, context }: IValueProps & { value: object }): React.JSX.Element {
  return (
    <dl className="jp-Colophon-keyFacts">
      {Object.entries(value).map(([name, member]: [string, unknown]) => {
        const memberSchema = getMemberSchema(schema, name);
        const help = memberSchema?.['description'];
        return (
          <div key={name}>
            <dt title={typeof help === 'string' ? help : undefined}>{getTitle(memberSchema, name)}</dt>
            <dd>
              <Value value={member} name={name} schema={memberSchema} depth={depth + 1} context={context} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A JSON document by the titles of its schema, with links for URNs and addresses, and readable times. */
export function DocumentView(props: {
  value: object;
  /** A JSON Schema without references. */
  schema: Schema | undefined;
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { value, schema, open, trans } = props;
  return <Members value={value} name="" schema={schema} depth={0} context={{ open, trans }} />;
}
