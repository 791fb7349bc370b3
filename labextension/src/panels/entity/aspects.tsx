import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Aspect } from '../../generated/api';
import { isDescription, COLUMN_DESCRIPTIONS } from '../../model/descriptions';
import type { AspectSpec } from '../../model/editor';
import type { Schema } from '../../model/form-schema';
import { isStamp } from '../../model/form-schema';
import { LongText } from '../../components/long-text';
import { useModel } from '../../components/use-model';
import { AspectValue } from '../../components/values';
import { formatTime } from '../../components/labels';
import { AspectForm } from './aspect-form';
import type { EntityModel } from './model';

interface IAspectsProps {
  model: EntityModel;
  trans: TranslationBundle;
}

function formatVersion({ version, actor, time }: Aspect, trans: TranslationBundle): string {
  return trans.__('Version %1, %2, %3', version, actor, formatTime(time));
}

function VersionInfo(props: { aspect: Aspect; trans: TranslationBundle }): React.JSX.Element {
  return <p className="jp-Colophon-version-info">{formatVersion(props.aspect, props.trans)}</p>;
}

interface IUserAspectsProps extends IAspectsProps {
  stopEditing: () => Promise<void>;
  /** Opens the editor of an instance, which knows its schema. */
  openInstance: (urn: string) => void;
}

/** The aspect with an instance of a schemaspace. */
const INSTANCE_ASPECT = 'instance';

/** Returns the members of a value for users; members with `$` are internal. */
function hideInternalMembers(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$') || name === '$problem'));
}

function UserAspect(props: IUserAspectsProps & { spec: AspectSpec }): React.JSX.Element {
  const { model, spec, stopEditing, openInstance, trans } = props;
  const { entity, editor, mayEdit } = useModel(model);
  const aspect = entity?.aspects[spec.name];
  if (editor?.urn === model.urn && editor.spec.name === spec.name) {
    return <AspectForm editor={editor} cancel={() => void stopEditing()} trans={trans} />;
  }
  const title = getTitle(spec, trans);
  return (
    <div className="jp-Colophon-aspect" data-aspect={spec.name}>
      {isDescription(spec) ? (
        <Description aspect={aspect} trans={trans} />
      ) : aspect ? (
        <UndescribedValues aspect={aspect} spec={spec} trans={trans} />
      ) : (
        <AspectValue value={{}} trans={trans} />
      )}
      {aspect && <VersionInfo aspect={aspect} trans={trans} />}
      {mayEdit && (
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={editor !== null}
          aria-label={trans.__('Edit: %1', title)}
          onClick={() => (spec.name === INSTANCE_ASPECT ? openInstance(model.urn) : model.edit(spec))}
        >
          {trans.__('Edit')}
        </button>
      )}
    </div>
  );
}

/** Returns the title of an aspect on the page. */
function getTitle(spec: AspectSpec, trans: TranslationBundle): string {
  return isDescription(spec) ? trans.__('Description') : spec.title;
}

/** The description of an entity by users. */
function Description(props: { aspect: Aspect | undefined; trans: TranslationBundle }): React.JSX.Element {
  const { aspect, trans } = props;
  const { description, name }: { description?: unknown; name?: unknown } = aspect?.value ?? {};
  return (
    <>
      {typeof name === 'string' && name !== '' && (
        <p className="jp-Colophon-note">{trans.__('Display name: %1', name)}</p>
      )}
      {typeof description === 'string' && description !== '' ? (
        <div className="jp-Colophon-text">
          <LongText text={description} trans={trans} />
        </div>
      ) : (
        <p className="jp-Colophon-note">{trans.__('No description yet.')}</p>
      )}
    </>
  );
}

/** The user metadata, with buttons to edit it. */
export function UserAspects(props: IUserAspectsProps): React.JSX.Element {
  const { model, trans } = props;
  const { entity, type } = useModel(model);
  // Most aspects are unused: aspects that neither exist nor are editable by default are not offered.
  const specs = (type?.aspects ?? [])
    .filter(
      spec =>
        spec.scope === 'USER' &&
        !spec.key &&
        !SHOWN_ELSEWHERE.has(spec.name) &&
        (spec.editableByDefault || isDescription(spec) || spec.name in (entity?.aspects ?? {}))
    )
    .sort((left, right) => Number(isDescription(right)) - Number(isDescription(left)));
  return (
    <section className="jp-Colophon-card-section" data-scope="USER" aria-label={trans.__('User metadata')}>
      <h2>
        {trans.__('User metadata')} <span className="jp-Colophon-scope">USER</span>
      </h2>
      {specs.map(spec => (
        <React.Fragment key={spec.name}>
          {specs.length > 1 && <h3>{getTitle(spec, trans)}</h3>}
          <UserAspect {...props} spec={spec} />
        </React.Fragment>
      ))}
    </section>
  );
}

/** Aspects that are shown elsewhere on the page. */
const SHOWN_ELSEWHERE = new Set(['schemaMetadata', COLUMN_DESCRIPTIONS, 'status']);

/** The first system aspect, which has no title. */
const MAIN_ASPECT = 'technicalMetadata';

/** Whether the page shows an aspect in a card of its own, and not among the descriptors. */
export function hasOwnCard(spec: AspectSpec): boolean {
  return spec.editableByDefault || spec.name === MAIN_ASPECT || spec.name === INSTANCE_ASPECT || isDescription(spec);
}

/** Lists the members of a value that are not shown among the descriptors; audit stamps are omitted. */
function listUndescribed(value: object, spec: AspectSpec): [string, unknown][] {
  const { properties = {} } = spec.schema as { properties?: Record<string, Schema> };
  return Object.entries(value).filter(
    ([name]) => !spec.described.includes(name) && !(name in properties && isStamp(properties[name] ?? {}))
  );
}

/** Whether the descriptors contain all of an aspect. */
function isDescribed(aspect: Aspect, spec: AspectSpec | undefined): boolean {
  return (
    spec !== undefined &&
    !hasOwnCard(spec) &&
    spec.described.length > 0 &&
    listUndescribed(aspect.value, spec).length === 0
  );
}

/** The value of an aspect without the members shown among the descriptors. */
function UndescribedValues(props: { aspect: Aspect; spec: AspectSpec; trans: TranslationBundle }): React.JSX.Element {
  const { aspect, spec, trans } = props;
  if (hasOwnCard(spec) || spec.described.length === 0) {
    return <AspectValue value={hideInternalMembers(aspect.value)} trans={trans} />;
  }
  const members = listUndescribed(aspect.value, spec);
  return (
    <>
      {members.length > 0 ? (
        <AspectValue value={Object.fromEntries(members)} trans={trans} />
      ) : (
        <p className="jp-Colophon-note">{trans.__('The values are listed under “Described by”.')}</p>
      )}
      <StoredValue aspect={aspect} title={spec.title} trans={trans}>
        {trans.__('Show JSON')}
      </StoredValue>
    </>
  );
}

/** A disclosure with the JSON of an aspect. */
function StoredValue(props: {
  aspect: Aspect;
  title: string;
  trans: TranslationBundle;
  children: React.ReactNode;
}): React.JSX.Element {
  const { aspect, title, trans, children } = props;
  return (
    <details className="jp-Colophon-json-details" data-aspect-json={aspect.name}>
      <summary aria-label={trans.__('Show JSON of %1', title)}>{children}</summary>
      <pre tabIndex={0} role="group" aria-label={trans.__('JSON of %1', title)}>
        {JSON.stringify(aspect.value, null, 2)}
      </pre>
    </details>
  );
}

/** The system aspects: read-only, because their source would overwrite edits. */
export function SystemAspects({ model, trans }: IAspectsProps): React.JSX.Element {
  const { entity, type } = useModel(model);
  const specs = new Map(type?.aspects.map(spec => [spec.name, spec]));
  const shown = Object.values(entity?.aspects ?? {})
    .filter(({ name, scope }) => (scope === 'SYSTEM' || !specs.has(name)) && !SHOWN_ELSEWHERE.has(name))
    .filter(aspect => !specs.get(aspect.name)?.key)
    .sort((a, b) => Number(b.name === MAIN_ASPECT) - Number(a.name === MAIN_ASPECT));
  const described = shown.filter(aspect => isDescribed(aspect, specs.get(aspect.name)));
  return (
    <section className="jp-Colophon-card-section" data-scope="SYSTEM" aria-label={trans.__('System metadata')}>
      <h2>
        {trans.__('System metadata')} <span className="jp-Colophon-scope">SYSTEM</span>
      </h2>
      {shown.length === 0 && <p className="jp-Colophon-note">{trans.__('Nothing yet.')}</p>}
      {shown
        .filter(aspect => !described.includes(aspect))
        .map(aspect => (
          <SystemAspect key={aspect.name} aspect={aspect} spec={specs.get(aspect.name)} trans={trans} />
        ))}
      {described.length > 0 && (
        <div className="jp-Colophon-aspect">
          <p className="jp-Colophon-note">{trans.__('The values of these aspects are listed under “Described by”:')}</p>
          {described.map(aspect => {
            const title = specs.get(aspect.name)?.title ?? aspect.name;
            return (
              <StoredValue key={aspect.name} aspect={aspect} title={title} trans={trans}>
                <b>{title}</b> · {formatVersion(aspect, trans)}
              </StoredValue>
            );
          })}
        </div>
      )}
    </section>
  );
}

function SystemAspect(props: {
  aspect: Aspect;
  spec: AspectSpec | undefined;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { aspect, spec, trans } = props;
  return (
    <div className="jp-Colophon-aspect" data-aspect={aspect.name}>
      {aspect.name !== MAIN_ASPECT && <h3>{spec?.title ?? aspect.name}</h3>}
      {spec ? (
        <UndescribedValues aspect={aspect} spec={spec} trans={trans} />
      ) : (
        <UnknownAspect value={aspect.value} trans={trans} />
      )}
      <VersionInfo aspect={aspect} trans={trans} />
    </div>
  );
}

/** An aspect that the entity registry does not describe, for instance because its file is missing. */
function UnknownAspect({ value, trans }: { value: unknown; trans: IAspectsProps['trans'] }): React.JSX.Element {
  return (
    <>
      <p className="jp-Colophon-note" role="note">
        {trans.__('This aspect is not in the entity registry. It is shown as JSON.')}
      </p>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </>
  );
}
