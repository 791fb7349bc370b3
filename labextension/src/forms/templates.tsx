import type {
  ArrayFieldTemplateItemType,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  ObjectFieldTemplateProps,
  UnsupportedFieldProps
} from '@rjsf/utils';
import { ADDITIONAL_PROPERTY_FLAG, canExpand } from '@rjsf/utils';
import React from 'react';
import { BRANCH, categoryOf, titleOf } from '../model/instance-schema';
import { partsOf, valueAt } from '../model/pointer';
import type { OwnField } from '../model/ui-schema';
import type { IFormContext } from './context';
import { describedBy, faultsAt, FormContext, pointerOf } from './context';
import { FaultNote } from './fault-note';
import { JsonEditor } from './fields/json';

/** Fields that bring their own frame. */
const OWN = new Set<unknown>([
  ...(['tags', 'dropdown', 'code', 'password', 'constant', 'pairs', 'json'] satisfies OwnField[]),
  ...(['plugin', 'plugin-properties'] satisfies OwnField[])
]);

/** Items of a list are numbered by rjsf: `Paths-1`. */
const NUMBERED = /-(\d+)$/;

/** Whether this is a branch: it stands at the place of what has the branches, which has a title and help already. */
function isBranch(schema: object): boolean {
  return (schema as Record<string, unknown>)[BRANCH] === true;
}

/** Whether there are branches to choose from, other than those that are mere values. */
function hasBranches({ oneOf = [], anyOf = [] }: FieldTemplateProps['schema']): boolean {
  return [...oneOf, ...anyOf].some(branch => typeof branch === 'object' && !('const' in branch));
}

function framesItself({ schema, uiSchema }: FieldTemplateProps): boolean {
  const listed =
    schema.type === 'array' && !(schema.uniqueItems && typeof schema.items === 'object' && 'enum' in schema.items);
  return OWN.has(uiSchema?.['ui:field']) || schema.type === 'object' || listed;
}

function Label(props: FieldTemplateProps): React.JSX.Element | null {
  const { id, label, required, schema, uiSchema, displayLabel } = props;
  const unseen = NUMBERED.test(label) || isBranch(schema) || ADDITIONAL_PROPERTY_FLAG in schema;
  // rjsf has no label for a chosen field; one that is not ours needs it.
  const isShown = displayLabel !== false || (uiSchema?.['ui:field'] !== undefined && uiSchema['ui:label'] !== false);
  if (!isShown) {
    return null;
  }
  return (
    <label htmlFor={id} className={unseen ? 'jp-Colophon-unseen' : undefined}>
      {schema.title === undefined ? titleOf({}, label.replace(NUMBERED, ' $1')) : label.replace(NUMBERED, ' $1')}
      {required && <span aria-hidden="true"> *</span>}
    </label>
  );
}

/** The name of a member that a person adds, and the way to take it out again. */
function Member(props: FieldTemplateProps & { children: React.ReactNode }): React.JSX.Element {
  const { id, label, onKeyChange, onDropPropertyClick, children } = props;
  const { trans } = props.formContext as IFormContext;
  return (
    <div className="jp-Colophon-member">
      <input
        id={`${id}__key`}
        aria-label={trans.__('Key')}
        defaultValue={label}
        spellCheck={false}
        onBlur={event => onKeyChange(event.target.value)}
      />
      <div>{children}</div>
      <button
        type="button"
        className="jp-Colophon-remove"
        aria-label={trans.__('Remove %1', label)}
        title={trans.__('Remove')}
        onClick={onDropPropertyClick(label)}
      >
        ×
      </button>
    </div>
  );
}

/** A place with branches to choose from: the choice, and below it the fields of the branch. */
function Choice(props: FieldTemplateProps): React.JSX.Element {
  const { id, label, schema, required, rawDescription, children } = props;
  const context = props.formContext as IFormContext;
  const messages = faultsAt(context, pointerOf(id, context)).map(fault => fault.message);
  return (
    <fieldset className="jp-Colophon-category" aria-describedby={describedBy(id)}>
      <legend>
        {titleOf({ title: schema.title }, label.replace(NUMBERED, ' $1'))}
        {required && <span aria-hidden="true"> *</span>}
      </legend>
      {rawDescription !== undefined && rawDescription !== '' && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {rawDescription}
        </div>
      )}
      {children}
      <FaultNote id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}

/** A field with a label that belongs to it, help and faults. */
export function FieldTemplate(props: FieldTemplateProps): React.JSX.Element {
  const { id, children, rawDescription, hidden } = props;
  const context = props.formContext as IFormContext;
  if (hidden) {
    return <div hidden>{children}</div>;
  }
  const added = ADDITIONAL_PROPERTY_FLAG in props.schema;
  if (hasBranches(props.schema) && pointerOf(id, context) !== context.root) {
    return <Choice {...props} />;
  }
  if (framesItself(props)) {
    return added ? <Member {...props}>{children}</Member> : <>{children}</>;
  }
  if (isBranch(props.schema)) {
    // Help and faults stand at what has the branches.
    return (
      <div>
        <Label {...props} />
        {children}
      </div>
    );
  }
  const messages = faultsAt(context, pointerOf(id, context)).map(fault => fault.message);
  const field = (
    <div className="jp-Colophon-field" data-invalid={messages.length > 0}>
      <Label {...props} />
      {children}
      {rawDescription !== undefined && rawDescription !== '' && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {rawDescription}
        </div>
      )}
      <FaultNote id={`${id}__error`} messages={messages} />
    </div>
  );
  return added ? <Member {...props}>{field}</Member> : field;
}

type Property = ObjectFieldTemplateProps['properties'][number];

/** Properties with those of one category together, in the order in which a category comes first. */
function byCategory(props: ObjectFieldTemplateProps): [string, Property[]][] {
  const groups = new Map<string, Property[]>([['', []]]);
  for (const property of props.properties) {
    const category = categoryOf(props.schema.properties?.[property.name]);
    groups.set(category, [...(groups.get(category) ?? []), property]);
  }
  return [...groups];
}

function Group(props: { title: string; properties: readonly Property[] }): React.JSX.Element {
  const fields = props.properties.map(property => (
    <React.Fragment key={property.name}>{property.content}</React.Fragment>
  ));
  if (props.title === '' || props.properties.every(property => property.hidden)) {
    return <>{fields}</>;
  }
  return (
    <fieldset className="jp-Colophon-category">
      <legend>{props.title}</legend>
      {fields}
    </fieldset>
  );
}

/** An object with one more member, whose name nobody has yet. */
function withMember(value: unknown, further: unknown): object {
  const members = (value ?? {}) as Record<string, unknown>;
  let name = 'key';
  for (let number = 2; name in members; number++) {
    name = `key${number}`;
  }
  return { ...members, [name]: blankOf(further === true ? { type: 'string' } : further) };
}

/** What a new item or member begins with, so that it is of its type from the beginning. */
function blankOf(part: unknown): unknown {
  const type = (part as { type?: unknown } | undefined)?.type;
  const blanks: Record<string, unknown> = { string: '', object: {}, array: [], boolean: false, number: 0, integer: 0 };
  return blanks[typeof type === 'string' ? type : ''] ?? null;
}

/** The fields of an object; those of an object within it stand in a box. */
export function ObjectFieldTemplate(props: ObjectFieldTemplateProps): React.JSX.Element {
  const { schema, uiSchema, idSchema, description, title } = props;
  const context = props.formContext as IFormContext;
  const pointer = pointerOf(idSchema.$id, context);
  const fields = (
    <>
      {byCategory(props).map(([category, properties]) => (
        <Group key={category} title={category} properties={properties} />
      ))}
      {canExpand(schema, uiSchema, props.formData as never) && (
        <button
          type="button"
          className="jp-Colophon-button"
          onClick={() => context.put(pointer, withMember(props.formData, schema.additionalProperties))}
        >
          {context.trans.__('Add a property')}
        </button>
      )}
    </>
  );
  const messages = faultsAt(context, pointer).map(fault => fault.message);
  if (pointer === '' || pointer === context.root || isBranch(schema) || hasBranches(schema)) {
    return (
      <div className="jp-Colophon-fields">
        {fields}
        {pointer === context.root && !isBranch(schema) && (
          <FaultNote id={`${idSchema.$id}__error`} messages={messages} />
        )}
      </div>
    );
  }
  const id = idSchema.$id;
  return (
    <fieldset className="jp-Colophon-category" id={id} aria-describedby={describedBy(id)}>
      <legend>{titleOf({}, title.replace(NUMBERED, ` ${Number(partsOf(pointer).at(-1)) + 1}`))}</legend>
      {description !== undefined && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {description}
        </div>
      )}
      {fields}
      <FaultNote id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}

function Item(props: { item: ArrayFieldTemplateItemType; context: IFormContext }): React.JSX.Element {
  const { item } = props;
  const { trans } = props.context;
  const number = item.index + 1;
  const move = (by: number): ((event?: unknown) => void) => item.onReorderClick(item.index, item.index + by);
  return (
    <li className="jp-Colophon-arrayItem">
      <div>{item.children}</div>
      {item.hasMoveUp && (
        <button
          type="button"
          className="jp-Colophon-remove"
          aria-label={trans.__('Move %1 up', number)}
          onClick={move(-1)}
        >
          ↑
        </button>
      )}
      {item.hasMoveDown && (
        <button
          type="button"
          className="jp-Colophon-remove"
          aria-label={trans.__('Move %1 down', number)}
          onClick={move(1)}
        >
          ↓
        </button>
      )}
      {item.hasRemove && (
        <button
          type="button"
          className="jp-Colophon-remove"
          aria-label={trans.__('Remove %1', number)}
          title={trans.__('Remove')}
          onClick={item.onDropIndexClick(item.index)}
        >
          ×
        </button>
      )}
    </li>
  );
}

/** What rjsf cannot draw, such as a list of anything: JSON. */
export function UnsupportedFieldTemplate({ schema, idSchema }: UnsupportedFieldProps): React.JSX.Element | null {
  // rjsf hands no context to this template.
  const context = React.useContext(FormContext);
  const id = idSchema?.$id ?? '';
  if (!context) {
    return null;
  }
  const pointer = pointerOf(id, context);
  return (
    <JsonEditor
      id={id}
      title={titleOf(schema, partsOf(pointer).at(-1) ?? '')}
      required={false}
      description={schema.description}
      value={valueAt(context.draft, pointer)}
      context={context}
      change={value => context.put(pointer, value)}
    />
  );
}

/** A list: its items can be added, moved and removed. */
export function ArrayFieldTemplate(props: ArrayFieldTemplateProps): React.JSX.Element {
  const context = props.formContext as IFormContext;
  const id = props.idSchema.$id;
  const pointer = pointerOf(id, context);
  const items: unknown[] = Array.isArray(props.formData) ? props.formData : [];
  const messages = faultsAt(context, pointer).map(fault => fault.message);
  const title = titleOf({}, props.title.replace(NUMBERED, ' $1'));
  return (
    <fieldset
      className="jp-Colophon-field"
      id={id}
      aria-describedby={describedBy(id)}
      data-invalid={messages.length > 0}
    >
      <legend>
        {title}
        {props.required && <span aria-hidden="true"> *</span>}
      </legend>
      <ol className="jp-Colophon-items">
        {props.items.map(({ key, ...item }) => (
          <Item key={key} item={{ key, ...item }} context={context} />
        ))}
      </ol>
      {props.canAdd && (
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={context.trans.__('Add to %1', title)}
          onClick={() => context.put(pointer, [...items, blankOf(props.schema.items)])}
        >
          {context.trans.__('Add')}
        </button>
      )}
      {props.schema.description !== undefined && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {props.schema.description}
        </div>
      )}
      <FaultNote id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}
