import React from 'react';
import { DocumentView } from '../../../components/document-view';
import { formatTime } from '../../../components/labels';
import { RelativeTime } from '../../../components/relative-time';
import { useModel } from '../../../components/use-model';
import { usePulse } from '../../../components/use-pulse';
import type { Aspect, Entity } from '../../../generated/api';
import { COLUMN_DESCRIPTIONS, isDescription } from '../../../model/editing/descriptions';
import type { AspectSpec } from '../../../model/editing/editor';
import type { Schema } from '../../../model/schemas/form-schema';
import { EXPECTATIONS_ASPECT, QUALITY_ASPECT } from '../../../model/quality/quality';
import { isSetByPeople } from '../../../model/set-by-people';
import { isStamp } from '../../../model/schemas/form-schema';
import { resolveRefs } from '../../../model/schemas/resolve-refs';
import { AspectForm } from './aspect-form';
import type { IPage, IPageProps } from '../page';
import { USER_ASPECT } from './user-metadata';

/** The aspect with an instance of a schemaspace. */
const INSTANCE_ASPECT = 'instance';

/** The aspect with the properties that machines record; its title adds nothing. */
const RECORDED_ASPECT = 'technicalMetadata';

/** Aspects that other parts of the page show. */
const SHOWN_ELSEWHERE = new Set([
  ...['schemaMetadata', COLUMN_DESCRIPTIONS, 'status', USER_ASPECT],
  ...[EXPECTATIONS_ASPECT, QUALITY_ASPECT]
]);

/** Kinds of descriptors that the page shows outside their aspects. */
function isShownElsewhere(spec: AspectSpec): boolean {
  return spec.key || SHOWN_ELSEWHERE.has(spec.name) || isDescription(spec);
}

/**
 * Returns the members of a value to display: internal ones (`$`) and audit stamps are omitted, and the properties of
 * machine-made metadata are members of their own.
 */
function listShownMembers(value: object, schema: Schema | undefined): object {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Schema> };
  const members = Object.entries(value).filter(
    ([name, member]) =>
      (!name.startsWith('$') || name === '$problem') &&
      !isStamp(properties[name] ?? {}) &&
      !(Array.isArray(member) && member.length === 0)
  );
  return Object.fromEntries(
    members.flatMap(([name, member]: [string, unknown]) =>
      name === 'properties' || name === 'customProperties' ? Object.entries(member as object) : [[name, member]]
    )
  );
}

/** A value of an aspect, by the titles of its schema. */
function AspectDocument(props: { page: IPage; aspect: Aspect; spec: AspectSpec | undefined }): React.JSX.Element {
  const { page, aspect, spec } = props;
  const { actions, trans } = page;
  const schema = React.useMemo(() => spec && resolveRefs(spec.schema as Schema), [spec]);
  if (spec === undefined) {
    return (
      <>
        <p className="jp-Colophon-note" role="note">
          {trans.__('This aspect is not in the entity registry. It is shown as JSON.')}
        </p>
        <pre>{JSON.stringify(aspect.value, null, 2)}</pre>
      </>
    );
  }
  const members = listShownMembers(aspect.value, spec.schema);
  return Object.keys(members).length === 0 ? (
    <p className="jp-Colophon-note">{trans.__('Nothing yet.')}</p>
  ) : (
    <DocumentView value={members} schema={schema} open={urn => actions.openEntity(urn)} trans={trans} />
  );
}

/** An aspect that users write with a form. */
function UserAspect({ page, entity, spec }: IPageProps & { entity: Entity; spec: AspectSpec }): React.JSX.Element {
  const { model, actions, stopEditing, trans } = page;
  const { editor, field, mayEdit } = useModel(model);
  const aspect = entity.aspects[spec.name];
  const isOpen = editor?.urn === model.urn && editor.spec.name === spec.name && field === null;
  const pulse = usePulse<HTMLElement>(aspect?.version);
  const open = (): void => {
    if (spec.name === INSTANCE_ASPECT) {
      actions.openInstance(model.urn);
    } else {
      void stopEditing().then(closed => closed && model.edit(spec));
    }
  };
  return (
    <section className="jp-Colophon-card-section" data-aspect={spec.name} aria-label={spec.title} ref={pulse}>
      <div className="jp-Colophon-sectionHead">
        <h2>{spec.title}</h2>
        {mayEdit && !isOpen && (
          <button
            type="button"
            className="jp-Colophon-button"
            aria-label={trans.__('Edit: %1', spec.title)}
            onClick={open}
          >
            {trans.__('Edit')}
          </button>
        )}
      </div>
      {isOpen ? (
        <AspectForm editor={editor} cancel={() => void stopEditing()} takesKeyboard trans={trans} />
      ) : aspect ? (
        <AspectDocument page={page} aspect={aspect} spec={spec} />
      ) : (
        <p className="jp-Colophon-note">{trans.__('Nothing yet.')}</p>
      )}
    </section>
  );
}

/** The aspects of users that have no place of their own on the page. */
export function UserAspects({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element {
  const { type } = useModel(page.model);
  // Most aspects are unused: aspects that neither exist nor are editable by default are not offered.
  const specs = (type?.aspects ?? []).filter(
    spec =>
      spec.scope === 'USER' &&
      !isShownElsewhere(spec) &&
      (spec.editableByDefault ||
        (spec.name in entity.aspects && !isShownByDescriptors(entity.aspects[spec.name], spec)))
  );
  return (
    <>
      {specs.map(spec => (
        <UserAspect key={spec.name} page={page} entity={entity} spec={spec} />
      ))}
    </>
  );
}

/** Whether the descriptors of the page contain all of an aspect. */
function isShownByDescriptors(aspect: Aspect | undefined, spec: AspectSpec | undefined): boolean {
  const members = Object.keys(listShownMembers(aspect?.value ?? {}, spec?.schema));
  return spec !== undefined && spec.described.length > 0 && members.every(name => spec.described.includes(name));
}

/** Returns who or what recorded an aspect. */
function getSource(aspect: Aspect, entity: Entity, spec: AspectSpec | undefined, page: IPage): string {
  const { trans } = page;
  if (aspect.name !== RECORDED_ASPECT) {
    return spec?.title ?? aspect.name;
  }
  const { platform } = entity;
  return entity.type === 'dataset' && platform !== null
    ? trans.__('Recorded by %1', platform.charAt(0).toUpperCase() + platform.slice(1))
    : trans.__('Recorded by %1', aspect.actor);
}

function RecordedAspect(
  props: IPageProps & { entity: Entity; aspect: Aspect; spec: AspectSpec | undefined }
): React.JSX.Element {
  const { page, entity, aspect, spec } = props;
  const { trans } = page;
  const count = Object.keys(listShownMembers(aspect.value, spec?.schema)).length;
  const pulse = usePulse<HTMLDetailsElement>(aspect.version);
  return (
    // An unregistered aspect may be the result of a mistake, which must be seen.
    <details className="jp-Colophon-recorded" data-aspect={aspect.name} open={spec === undefined} ref={pulse}>
      <summary>
        {trans.__('%1 · %2', getSource(aspect, entity, spec, page), trans._n('%1 property', '%1 properties', count))}
        <span className="jp-Colophon-note" title={formatTime(aspect.time)}>
          {' '}
          <RelativeTime time={aspect.time} trans={trans} /> {trans.__('by %1', aspect.actor)}
        </span>
      </summary>
      <AspectDocument page={page} aspect={aspect} spec={spec} />
    </details>
  );
}

/** Metadata that machines recorded, folded: it is read-only, because its source would overwrite edits. */
export function RecordedMetadata({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { trans } = page;
  const { type } = useModel(page.model);
  const specs = new Map(type?.aspects.map(spec => [spec.name, spec]));
  const recorded = Object.values(entity.aspects)
    .filter(({ name, scope }) => {
      const spec = specs.get(name);
      return spec ? scope === 'SYSTEM' && !isShownElsewhere(spec) : !SHOWN_ELSEWHERE.has(name);
    })
    // What people set is in the section *About*.
    .filter(
      ({ name, scope }) =>
        !isSetByPeople({ aspect: name, scope }) || !isShownByDescriptors(entity.aspects[name], specs.get(name))
    )
    .sort((left, right) => Number(right.name === RECORDED_ASPECT) - Number(left.name === RECORDED_ASPECT));
  if (recorded.length === 0) {
    return null;
  }
  return (
    <section aria-label={trans.__('Recorded metadata')} className="jp-Colophon-card-section">
      <h2>{trans.__('Recorded metadata')}</h2>
      {recorded.map(aspect => (
        <RecordedAspect key={aspect.name} page={page} entity={entity} aspect={aspect} spec={specs.get(aspect.name)} />
      ))}
    </section>
  );
}
