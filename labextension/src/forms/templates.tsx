import type {
  ArrayFieldTemplateItemType,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  ObjectFieldTemplateProps,
  UnsupportedFieldProps
} from '@rjsf/utils';
import { ADDITIONAL_PROPERTY_FLAG, canExpand } from '@rjsf/utils';
import React from 'react';
import { BRANCH, getCategory, getTitle } from '../model/instances/instance-schema';
import { splitPointer, getValueAt } from '../model/schemas/pointer';
import type { OwnField } from '../model/schemas/ui-schema';
import type { IFormContext } from './context';
import { getDescriptionIds, getErrors, FormContext, getPointer } from './context';
import { FieldErrors } from './field-errors';
import { JsonEditor } from './fields/json';

/** Fields that have their own frame. */
const SELF_FRAMED_FIELDS = new Set<unknown>([
  ...(['tags', 'dropdown', 'code', 'password', 'constant', 'pairs', 'json'] satisfies OwnField[]),
  ...(['plugin', 'plugin-properties', 'stage'] satisfies OwnField[])
]);

/** rjsf numbers the items of a list: `Paths-1`. */
const ITEM_NUMBER = /-(\d+)$/;

/** Whether this is a branch. It is at the location of its parent, which already has a title and help. */
function isBranch(schema: object): boolean {
  return (schema as Record<string, unknown>)[BRANCH] === true;
}

/** Whether there are branches to choose from, other than constants. */
function hasBranches({ oneOf = [], anyOf = [] }: FieldTemplateProps['schema']): boolean {
  return [...oneOf, ...anyOf].some(branch => typeof branch === 'object' && !('const' in branch));
}

function hasOwnFrame({ schema, uiSchema }: FieldTemplateProps): boolean {
  const isList =
    schema.type === 'array' && !(schema.uniqueItems && typeof schema.items === 'object' && 'enum' in schema.items);
  return SELF_FRAMED_FIELDS.has(uiSchema?.['ui:field']) || schema.type === 'object' || isList;
}

function Label(props: FieldTemplateProps): React.JSX.Element | null {
  const { id, label, required, schema, uiSchema, displayLabel } = props;
  const isVisuallyHidden = ITEM_NUMBER.test(label) || isBranch(schema) || ADDITIONAL_PROPERTY_FLAG in schema;
  // rjsf has no label for a custom field; those of other extensions need one.
  const isShown = displayLabel !== false || (uiSchema?.['ui:field'] !== undefined && uiSchema['ui:label'] !== false);
  if (!isShown) {
    return null;
  }
  return (
    <label htmlFor={id} className={isVisuallyHidden ? 'jp-Colophon-visually-hidden' : undefined}>
      {schema.title === undefined ? getTitle({}, label.replace(ITEM_NUMBER, ' $1')) : label.replace(ITEM_NUMBER, ' $1')}
      {required && <span aria-hidden="true"> *</span>}
    </label>
  );
}

/** The name of an additional property, with a button to remove it. */
function AddedProperty(props: FieldTemplateProps & { children: React.ReactNode }): React.JSX.Element {
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

/** A location with branches: the choice, and the fields of the selected branch below it. */
function BranchChoice(props: FieldTemplateProps): React.JSX.Element {
  const { id, label, schema, required, rawDescription, children } = props;
  const context = props.formContext as IFormContext;
  const messages = getErrors(context, getPointer(id, context)).map(fault => fault.message);
  return (
    <fieldset className="jp-Colophon-category" aria-describedby={getDescriptionIds(id)}>
      <legend>
        {getTitle({ title: schema.title }, label.replace(ITEM_NUMBER, ' $1'))}
        {required && <span aria-hidden="true"> *</span>}
      </legend>
      {rawDescription !== undefined && rawDescription !== '' && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {rawDescription}
        </div>
      )}
      {children}
      <FieldErrors id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}

/** A field with its label, help and errors. */
export function FieldTemplate(props: FieldTemplateProps): React.JSX.Element {
  const { id, children, rawDescription, hidden } = props;
  const context = props.formContext as IFormContext;
  if (hidden) {
    return <div hidden>{children}</div>;
  }
  const isAddedProperty = ADDITIONAL_PROPERTY_FLAG in props.schema;
  if (hasBranches(props.schema) && getPointer(id, context) !== context.root) {
    return <BranchChoice {...props} />;
  }
  if (hasOwnFrame(props)) {
    return isAddedProperty ? <AddedProperty {...props}>{children}</AddedProperty> : <>{children}</>;
  }
  if (isBranch(props.schema)) {
    // Help and errors are displayed at the parent of the branches.
    return (
      <div>
        <Label {...props} />
        {children}
      </div>
    );
  }
  const messages = getErrors(context, getPointer(id, context)).map(fault => fault.message);
  const field = (
    <div className="jp-Colophon-field" data-invalid={messages.length > 0}>
      <Label {...props} />
      {children}
      {rawDescription !== undefined && rawDescription !== '' && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {rawDescription}
        </div>
      )}
      <FieldErrors id={`${id}__error`} messages={messages} />
    </div>
  );
  return isAddedProperty ? <AddedProperty {...props}>{field}</AddedProperty> : field;
}

type Property = ObjectFieldTemplateProps['properties'][number];

/** Groups properties by category, in the order of the first property of each category. */
function groupByCategory(props: ObjectFieldTemplateProps): [string, Property[]][] {
  const groups = new Map<string, Property[]>([['', []]]);
  for (const property of props.properties) {
    const category = getCategory(props.schema.properties?.[property.name]);
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

/** Adds a property with an unused name to an object. */
function addMember(value: unknown, schema: unknown): object {
  const members = (value ?? {}) as Record<string, unknown>;
  let name = 'key';
  for (let number = 2; name in members; number++) {
    name = `key${number}`;
  }
  return { ...members, [name]: createBlank(schema === true ? { type: 'string' } : schema) };
}

/** Returns the initial value of a new item or property, according to its type. */
function createBlank(part: unknown): unknown {
  const type = (part as { type?: unknown } | undefined)?.type;
  const blanks: Record<string, unknown> = { string: '', object: {}, array: [], boolean: false, number: 0, integer: 0 };
  return blanks[typeof type === 'string' ? type : ''] ?? null;
}

/** The fields of an object; nested objects are in a frame. */
export function ObjectFieldTemplate(props: ObjectFieldTemplateProps): React.JSX.Element {
  const { schema, uiSchema, idSchema, description, title } = props;
  const context = props.formContext as IFormContext;
  const pointer = getPointer(idSchema.$id, context);
  const fields = (
    <>
      {groupByCategory(props).map(([category, properties]) => (
        <Group key={category} title={category} properties={properties} />
      ))}
      {canExpand(schema, uiSchema, props.formData as never) && (
        <button
          type="button"
          className="jp-Colophon-button"
          onClick={() => context.setValue(pointer, addMember(props.formData, schema.additionalProperties))}
        >
          {context.trans.__('Add a property')}
        </button>
      )}
    </>
  );
  const messages = getErrors(context, pointer).map(fault => fault.message);
  const isPlain = pointer === '' || pointer === context.root || uiSchema?.['ui:frame'] === false;
  if (isPlain || isBranch(schema) || hasBranches(schema)) {
    return (
      <div className="jp-Colophon-fields">
        {fields}
        {pointer === context.root && !isBranch(schema) && (
          <FieldErrors id={`${idSchema.$id}__error`} messages={messages} />
        )}
      </div>
    );
  }
  const id = idSchema.$id;
  return (
    <fieldset className="jp-Colophon-category" id={id} aria-describedby={getDescriptionIds(id)}>
      <legend>{getTitle({}, title.replace(ITEM_NUMBER, ` ${Number(splitPointer(pointer).at(-1)) + 1}`))}</legend>
      {description !== undefined && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {description}
        </div>
      )}
      {fields}
      <FieldErrors id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}

function ArrayItem(props: { item: ArrayFieldTemplateItemType; context: IFormContext }): React.JSX.Element {
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

/** A value that rjsf cannot display, such as a list of any items, as JSON. */
export function UnsupportedFieldTemplate({ schema, idSchema }: UnsupportedFieldProps): React.JSX.Element | null {
  // rjsf passes no context to this template.
  const context = React.useContext(FormContext);
  const id = idSchema?.$id ?? '';
  if (!context) {
    return null;
  }
  const pointer = getPointer(id, context);
  return (
    <JsonEditor
      id={id}
      title={getTitle(schema, splitPointer(pointer).at(-1) ?? '')}
      required={false}
      description={schema.description}
      value={getValueAt(context.draft, pointer)}
      context={context}
      onChange={value => context.setValue(pointer, value)}
    />
  );
}

/** A list whose items can be added, moved and removed. */
export function ArrayFieldTemplate(props: ArrayFieldTemplateProps): React.JSX.Element {
  const context = props.formContext as IFormContext;
  const id = props.idSchema.$id;
  const pointer = getPointer(id, context);
  const items: unknown[] = Array.isArray(props.formData) ? props.formData : [];
  const messages = getErrors(context, pointer).map(fault => fault.message);
  const title = getTitle({}, props.title.replace(ITEM_NUMBER, ' $1'));
  return (
    <fieldset
      className="jp-Colophon-field"
      id={id}
      aria-describedby={getDescriptionIds(id)}
      data-invalid={messages.length > 0}
    >
      <legend>
        {title}
        {props.required && <span aria-hidden="true"> *</span>}
      </legend>
      <ol className="jp-Colophon-items">
        {props.items.map(({ key, ...item }) => (
          <ArrayItem key={key} item={{ key, ...item }} context={context} />
        ))}
      </ol>
      {props.canAdd && (
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={context.trans.__('Add to %1', title)}
          onClick={() => context.setValue(pointer, [...items, createBlank(props.schema.items)])}
        >
          {context.trans.__('Add')}
        </button>
      )}
      {props.schema.description !== undefined && (
        <div className="jp-Colophon-help" id={`${id}__description`}>
          {props.schema.description}
        </div>
      )}
      <FieldErrors id={`${id}__error`} messages={messages} />
    </fieldset>
  );
}
