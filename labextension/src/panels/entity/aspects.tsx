import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Aspect } from '../../generated/api';
import { isDescription, OF_FIELDS } from '../../model/descriptions';
import type { AspectSpec } from '../../model/editor';
import { LongText } from '../pieces/long-text';
import { useModel } from '../pieces/use-model';
import { AspectValue } from '../pieces/values';
import { moment } from '../pieces/words';
import { AspectForm } from './aspect-form';
import type { EntityModel } from './model';

interface IAspectsProps {
  model: EntityModel;
  trans: TranslationBundle;
}

function Written(props: { aspect: Aspect; trans: TranslationBundle }): React.JSX.Element {
  const { aspect, trans } = props;
  return (
    <p className="jp-Colophon-written">
      {trans.__('Version %1, %2, %3', aspect.version, aspect.actor, moment(aspect.time))}
    </p>
  );
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
      ) : (
        <AspectValue value={readable(aspect?.value ?? {})} trans={trans} />
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

/** What people wrote: to read, and to edit. */
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
        (spec.offered || isDescription(spec) || spec.name in (entity?.aspects ?? {}))
    )
    .sort((one, other) => Number(isDescription(other)) - Number(isDescription(one)));
  return (
    <section className="jp-Colophon-card-section" data-scope="USER" aria-label={trans.__('What people wrote')}>
      <h2>
        {trans.__('What people wrote')} <span className="jp-Colophon-scope">USER</span>
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

/** What stands first and needs no title of its own. */
const MAIN = 'technicalMetadata';

/** What machines wrote: to read only, for its source would write it again. */
export function SystemAspects({ model, trans }: IAspectsProps): React.JSX.Element {
  const { entity, type } = useModel(model);
  const titles = new Map(type?.aspects.map(spec => [spec.name, spec]));
  const shown = Object.values(entity?.aspects ?? {})
    .filter(({ name, scope }) => (scope === 'SYSTEM' || !titles.has(name)) && !ELSEWHERE.has(name))
    .filter(aspect => !titles.get(aspect.name)?.key)
    .sort((a, b) => Number(b.name === MAIN) - Number(a.name === MAIN));
  return (
    <section className="jp-Colophon-card-section" data-scope="SYSTEM" aria-label={trans.__('What machines wrote')}>
      <h2>
        {trans.__('What machines wrote')} <span className="jp-Colophon-scope">SYSTEM</span>
      </h2>
      {shown.length === 0 && <p className="jp-Colophon-note">{trans.__('Nothing yet.')}</p>}
      {shown.map(aspect => (
        <div className="jp-Colophon-aspect" data-aspect={aspect.name} key={aspect.name}>
          {aspect.name !== MAIN && <h3>{titles.get(aspect.name)?.title ?? aspect.name}</h3>}
          {titles.has(aspect.name) ? (
            <AspectValue value={aspect.value} trans={trans} />
          ) : (
            <UnknownAspect value={aspect.value} trans={trans} />
          )}
          <Written aspect={aspect} trans={trans} />
        </div>
      ))}
    </section>
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
