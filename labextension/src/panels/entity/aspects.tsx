import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Aspect } from '../../generated/api';
import type { AspectSpec } from '../../model/editor';
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
  return (
    <div className="jp-Colophon-aspect" data-aspect={spec.name}>
      <AspectValue value={readable(aspect?.value ?? {})} trans={trans} />
      {aspect && <Written aspect={aspect} trans={trans} />}
      {mayEdit && (
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={editor !== null}
          aria-label={trans.__('Edit: %1', spec.title)}
          onClick={() => (spec.name === INSTANCE ? openInstance(model.urn) : model.edit(spec))}
        >
          {trans.__('Edit')}
        </button>
      )}
    </div>
  );
}

/** What people wrote: to read, and to edit. */
export function UserAspects(props: IUserAspectsProps): React.JSX.Element {
  const { model, trans } = props;
  const { entity, type } = useModel(model);
  // There are dozens of aspects that nobody uses here: what is not there and not ours is not asked for.
  const specs = (type?.aspects ?? []).filter(
    spec => spec.scope === 'USER' && !spec.key && (spec.offered || spec.name in (entity?.aspects ?? {}))
  );
  return (
    <section className="jp-Colophon-card-section" data-scope="USER" aria-label={trans.__('What people wrote')}>
      <h2>
        {trans.__('What people wrote')} <span className="jp-Colophon-scope">USER</span>
      </h2>
      {specs.map(spec => (
        <React.Fragment key={spec.name}>
          {specs.length > 1 && <h3>{spec.title}</h3>}
          <UserAspect {...props} spec={spec} />
        </React.Fragment>
      ))}
    </section>
  );
}

/** Aspects that have a place of their own on the page. */
const ELSEWHERE = new Set(['schemaMetadata', 'status']);

/** What stands first and needs no title of its own. */
const MAIN = 'technicalMetadata';

/** What machines wrote: to read only, for its source would write it again. */
export function SystemAspects({ model, trans }: IAspectsProps): React.JSX.Element {
  const { entity, type } = useModel(model);
  const titles = new Map(type?.aspects.map(spec => [spec.name, spec]));
  const shown = Object.values(entity?.aspects ?? {})
    .filter(aspect => aspect.scope === 'SYSTEM' && !ELSEWHERE.has(aspect.name) && !titles.get(aspect.name)?.key)
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
          <AspectValue value={aspect.value} trans={trans} />
          <Written aspect={aspect} trans={trans} />
        </div>
      ))}
    </section>
  );
}
