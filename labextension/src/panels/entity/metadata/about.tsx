import React from 'react';
import { formatTime } from '../../../components/labels';
import { RelativeTime } from '../../../components/relative-time';
import { useModel } from '../../../components/use-model';
import { usePulse } from '../../../components/use-pulse';
import type { Descriptor, Entity } from '../../../generated/api';
import type { IDescribedValue } from '../../../model/descriptors';
import { mergeDescriptors } from '../../../model/descriptors';
import type { AspectSpec } from '../../../model/editing/editor';
import { isSetByPeople } from '../../../model/set-by-people';
import { parseCustomUrn } from '../../../model/urns';
import type { IDescriptorContext } from './descriptors';
import { DescriptorName, formatValueSource, getKindLabel } from './descriptors';
import { EditableText, useFieldEditor } from './editable-text';
import type { IPageProps } from '../page';
import { startChange } from '../page';
import { getReferenceKind, ReferenceChoice, removeReference, useReferenceSpec } from './reference-choice';
import { createPropertyField, getFieldText, USER_ASPECT } from './user-metadata';

/** The kinds of values in the list, in their order; others have places of their own. */
const KINDS: readonly Descriptor['kind'][] = ['owner', 'domain', 'term', 'link', 'name'];

/** Other addresses are not links: they could run code. */
const WEB_ADDRESS = /^https?:\/\/\S+$/i;

function isUserOwner({ kind, sources }: IDescribedValue): boolean {
  return kind === 'owner' && sources.every(({ aspect }) => aspect === USER_ASPECT);
}

/** Returns the name of the owner that users wrote, who may be an entity. */
function getOwnerName({ descriptors }: Entity, text: string): string {
  return descriptors.find(({ kind, urn }) => kind === 'owner' && urn === text)?.name ?? text;
}

/** A glossary term or domain that users may remove. */
function RemoveReference({ page, value }: IPageProps & { value: IDescribedValue }): React.JSX.Element | null {
  const { model, trans } = page;
  const kind = value.kind === 'term' ? 'term' : 'domain';
  const spec = useReferenceSpec({ page }, kind);
  const { urn, name } = value;
  const isWritten = value.sources.some(({ aspect }) => aspect === spec?.name);
  return spec === undefined || urn === null || !isWritten ? null : (
    <button
      type="button"
      className="jp-Colophon-tool jp-Colophon-remove"
      title={trans.__('Remove %1', name)}
      aria-label={trans.__('Remove %1', name)}
      onClick={() => void startChange(page, () => model.change(spec, old => removeReference(kind, urn, old)))}
    >
      ×
    </button>
  );
}

/** The owner as users wrote it, edited in place. */
function Owner({ page, entity, spec }: IPageProps & { entity: Entity; spec: AspectSpec }): React.JSX.Element {
  const { model, trans } = page;
  const { mayEdit } = useModel(model);
  const field = createPropertyField(spec, 'owner');
  const text = getFieldText(entity.aspects[USER_ASPECT]?.value, field.pointer);
  const pulse = usePulse<HTMLElement>(text);
  return (
    <dd ref={pulse}>
      <EditableText
        page={page}
        editor={useFieldEditor(model, field)}
        pointer={field.pointer}
        open={() => model.editField(field)}
        label={trans.__('Owner')}
        text={getOwnerName(entity, text)}
        prompt={trans.__('Add an owner')}
        canEdit={mayEdit}
      />
    </dd>
  );
}

/** A value with its detail; an address is a link with the detail as its text. */
function Value({ value, context }: { value: IDescribedValue; context: IDescriptorContext }): React.JSX.Element {
  const { kind, name, detail } = value;
  if (kind === 'link' && WEB_ADDRESS.test(name)) {
    return (
      <a href={name} target="_blank" rel="noopener noreferrer nofollow">
        {detail === '' ? name : detail}
      </a>
    );
  }
  return (
    <>
      <DescriptorName value={value} context={context} tooltip={formatValueSource(value, context)} />
      {detail !== '' && <span className="jp-Colophon-note"> {detail}</span>}
    </>
  );
}

/** Returns where a value is from; of a glossary term or a domain also who wrote its aspect last, and when. */
function describeOrigin(value: IDescribedValue, { aspects }: Entity, context: IDescriptorContext): string {
  const source = formatValueSource(value, context);
  const aspect = value.sources
    .filter(({ aspect: name, scope }) => scope === 'SYSTEM' && isSetByPeople({ aspect: name, scope }))
    .map(({ aspect: name }) => aspects[name])[0];
  return aspect === undefined
    ? source
    : context.trans.__('%1, last written by %2, %3', source, aspect.actor, formatTime(aspect.time));
}

/** The button that chooses an owner, a glossary term or a domain. */
function Choice({ page, kind }: IPageProps & { kind: Descriptor['kind'] }): React.JSX.Element | null {
  const reference = getReferenceKind(kind);
  return reference === undefined ? null : (
    <dd>
      <ReferenceChoice page={page} kind={reference} />
    </dd>
  );
}

/** Owners, glossary terms, domains, links and other names, and when the entity was created and changed. */
export function About({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element {
  const { model, actions, getTitle, trans } = page;
  const { type } = useModel(model);
  const spec = type?.aspects.find(({ name }) => name === USER_ASPECT);
  const context = { getTitle, open: (urn: string) => actions.openEntity(urn), trans };
  const values = React.useMemo(() => {
    const own = entity.descriptors.filter(({ column, name }) => column === null && name !== entity.name);
    return mergeDescriptors(own).filter(value => KINDS.includes(value.kind) && !isUserOwner(value));
  }, [entity]);
  const groups = KINDS.map(kind => [kind, values.filter(value => value.kind === kind)] as const);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('About')}>
      <h2>{trans.__('About')}</h2>
      <dl className="jp-Colophon-keyFacts">
        {parseCustomUrn(model.urn)?.pairs.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {groups.map(
          ([kind, members]) =>
            (members.length > 0 || (getReferenceKind(kind) !== undefined && spec !== undefined)) && (
              <div key={kind} data-kind={kind}>
                <dt>{getKindLabel(kind, trans)}</dt>
                {kind === 'owner' && spec && <Owner page={page} entity={entity} spec={spec} />}
                {members.map(value => (
                  <dd key={value.name} title={describeOrigin(value, entity, context)}>
                    <Value value={value} context={context} />
                    {(kind === 'term' || kind === 'domain') && <RemoveReference page={page} value={value} />}
                  </dd>
                ))}
                <Choice page={page} kind={kind} />
              </div>
            )
        )}
        <div>
          <dt>{trans.__('Created')}</dt>
          <dd title={formatTime(entity.created.time)}>
            <RelativeTime time={entity.created.time} trans={trans} /> {trans.__('by %1', entity.created.actor)}
          </dd>
        </div>
        <div>
          <dt>{trans.__('Changed')}</dt>
          <dd title={formatTime(entity.updated.time)}>
            <RelativeTime time={entity.updated.time} trans={trans} /> {trans.__('by %1', entity.updated.actor)}
          </dd>
        </div>
        <div>
          <dt>{trans.__('URN')}</dt>
          <dd className="jp-Colophon-urn">
            <code>{model.urn}</code>
          </dd>
        </div>
      </dl>
    </section>
  );
}
