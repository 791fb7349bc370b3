import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Aspect } from '../../generated/api';
import { isDescription, OF_FIELDS } from '../../model/descriptions';
import type { AspectSpec } from '../../model/editor';
import type { Schema } from '../../model/form-schema';
import { isStamp } from '../../model/form-schema';
import { LongText } from '../../components/long-text';
import { useModel } from '../../components/use-model';
import { AspectValue } from '../../components/values';
import { moment } from '../../components/words';
import { AspectForm } from './aspect-form';
import type { EntityModel } from './model';

interface IAspectsProps {
  model: EntityModel;
  trans: TranslationBundle;
}

function versionText({ version, actor, time }: Aspect, trans: TranslationBundle): string {
  return trans.__('Version %1, %2, %3', version, actor, moment(time));
}

function Written(props: { aspect: Aspect; trans: TranslationBundle }): React.JSX.Element {
  return <p className="jp-Colophon-written">{versionText(props.aspect, props.trans)}</p>;
}

interface IUserAspectsProps extends IAspectsProps {
  stopEditing: () => Promise<void>;
  /** An instance of a schemaspace is changed in its own editor, which knows its schema. */
  openInstance: (urn: string) => void;
}

/** The aspect that is an instance of a schemaspace. */
const INSTANCE = 'instance';

/** What a person reads of a value: members with `$` are notes of the server. */
function readable(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$') || name === '$problem'));
}

function UserAspect(props: IUserAspectsProps & { spec: AspectSpec }): React.JSX.Element {
  const { model, spec, stopEditing, openInstance, trans } = props;
  const { entity, editor, mayEdit } = useModel(model);
  const aspect = entity?.aspects[spec.name];
  if (editor?.urn === model.urn && editor.spec.name === spec.name) {
    return <AspectForm editor={editor} cancel={() => void stopEditing()} trans={trans} />;
  }
  const title = titleOf(spec, trans);
  return (
    <div className="jp-Colophon-aspect" data-aspect={spec.name}>
      {isDescription(spec) ? (
        <Description aspect={aspect} trans={trans} />
      ) : aspect ? (
        <Undescribed aspect={aspect} spec={spec} trans={trans} />
      ) : (
        <AspectValue value={{}} trans={trans} />
      )}
      {aspect && <Written aspect={aspect} trans={trans} />}
      {mayEdit && (
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={editor !== null}
          aria-label={trans.__('Edit: %1', title)}
          onClick={() => (spec.name === INSTANCE ? openInstance(model.urn) : model.edit(spec))}
        >
          {trans.__('Edit')}
        </button>
      )}
    </div>
  );
}

/** What an aspect is called on the page. */
function titleOf(spec: AspectSpec, trans: TranslationBundle): string {
  return isDescription(spec) ? trans.__('Description') : spec.title;
}

/** What an entity is, in the words of people. */
function Description(props: { aspect: Aspect | undefined; trans: TranslationBundle }): React.JSX.Element {
  const { aspect, trans } = props;
  const { description, name }: { description?: unknown; name?: unknown } = aspect?.value ?? {};
  return (
    <>
      {typeof name === 'string' && name !== '' && (
        <p className="jp-Colophon-note">{trans.__('Also called %1', name)}</p>
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

/** User metadata: to read, and to edit. */
export function UserAspects(props: IUserAspectsProps): React.JSX.Element {
  const { model, trans } = props;
  const { entity, type } = useModel(model);
  // There are dozens of aspects that nobody uses here: what is not there and not ours is not asked for.
  const specs = (type?.aspects ?? [])
    .filter(
      spec =>
        spec.scope === 'USER' &&
        !spec.key &&
        !ELSEWHERE.has(spec.name) &&
        (spec.editableByDefault || isDescription(spec) || spec.name in (entity?.aspects ?? {}))
    )
    .sort((one, other) => Number(isDescription(other)) - Number(isDescription(one)));
  return (
    <section className="jp-Colophon-card-section" data-scope="USER" aria-label={trans.__('User metadata')}>
      <h2>
        {trans.__('User metadata')} <span className="jp-Colophon-scope">USER</span>
      </h2>
      {specs.map(spec => (
        <React.Fragment key={spec.name}>
          {specs.length > 1 && <h3>{titleOf(spec, trans)}</h3>}
          <UserAspect {...props} spec={spec} />
        </React.Fragment>
      ))}
    </section>
  );
}

/** Aspects that have a place of their own on the page. */
const ELSEWHERE = new Set(['schemaMetadata', OF_FIELDS, 'status']);

/** The aspect of machines that comes first and has no title. */
const MAIN = 'technicalMetadata';

/** Whether the page shows the values of an aspect in a card of its own, and not among the descriptors. */
export function hasOwnCard(spec: AspectSpec): boolean {
  return spec.editableByDefault || spec.name === MAIN || spec.name === INSTANCE || isDescription(spec);
}

/** The members of a value that the page does not show among the descriptors; stamps count as shown. */
function undescribed(value: object, spec: AspectSpec): [string, unknown][] {
  const { properties = {} } = spec.schema as { properties?: Record<string, Schema> };
  return Object.entries(value).filter(
    ([name]) => !spec.described.includes(name) && !(name in properties && isStamp(properties[name] ?? {}))
  );
}

/** Whether the descriptors show all of an aspect. */
function isDescribed(aspect: Aspect, spec: AspectSpec | undefined): boolean {
  return (
    spec !== undefined && !hasOwnCard(spec) && spec.described.length > 0 && undescribed(aspect.value, spec).length === 0
  );
}

/** The value of an aspect without what the descriptors show. */
function Undescribed(props: { aspect: Aspect; spec: AspectSpec; trans: TranslationBundle }): React.JSX.Element {
  const { aspect, spec, trans } = props;
  if (hasOwnCard(spec) || spec.described.length === 0) {
    return <AspectValue value={readable(aspect.value)} trans={trans} />;
  }
  const rest = undescribed(aspect.value, spec);
  return (
    <>
      {rest.length > 0 ? (
        <AspectValue value={Object.fromEntries(rest)} trans={trans} />
      ) : (
        <p className="jp-Colophon-note">{trans.__('The values are listed under “Described by”.')}</p>
      )}
      <StoredValue aspect={aspect} title={spec.title} trans={trans}>
        {trans.__('Show JSON')}
      </StoredValue>
    </>
  );
}

/** A disclosure of an aspect as it is stored. */
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

/** The aspects of machines: read-only, because their source would overwrite an edit. */
export function SystemAspects({ model, trans }: IAspectsProps): React.JSX.Element {
  const { entity, type } = useModel(model);
  const specs = new Map(type?.aspects.map(spec => [spec.name, spec]));
  const shown = Object.values(entity?.aspects ?? {})
    .filter(({ name, scope }) => (scope === 'SYSTEM' || !specs.has(name)) && !ELSEWHERE.has(name))
    .filter(aspect => !specs.get(aspect.name)?.key)
    .sort((a, b) => Number(b.name === MAIN) - Number(a.name === MAIN));
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
                <b>{title}</b> · {versionText(aspect, trans)}
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
      {aspect.name !== MAIN && <h3>{spec?.title ?? aspect.name}</h3>}
      {spec ? (
        <Undescribed aspect={aspect} spec={spec} trans={trans} />
      ) : (
        <UnknownAspect value={aspect.value} trans={trans} />
      )}
      <Written aspect={aspect} trans={trans} />
    </div>
  );
}

/** An aspect that the entity registry does not describe, for instance since its file was lost. */
function UnknownAspect({ value, trans }: { value: unknown; trans: IAspectsProps['trans'] }): React.JSX.Element {
  return (
    <>
      <p className="jp-Colophon-note" role="note">
        {trans.__('The entity registry does not describe this aspect. It is shown as it is stored.')}
      </p>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </>
  );
}
