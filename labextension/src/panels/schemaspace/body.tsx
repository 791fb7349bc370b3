import { addIcon, caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { ISchemaspaceActions } from './actions';
import type { ISchemaspacesState, SchemaspacesModel, Space } from './model';
import { Section } from './section';

interface ISchemaspacesProps {
  model: SchemaspacesModel;
  actions: ISchemaspaceActions;
  trans: TranslationBundle;
}

function Head(props: ISchemaspacesProps & { space: Space; open: boolean; id: string }): React.JSX.Element {
  const { model, actions, space, open, id, trans } = props;
  const Caret = open ? caretDownIcon : caretRightIcon;
  return (
    <div className="jp-Colophon-spaceHead">
      <h3 id={`${id}-title`} title={space.description}>
        <button type="button" aria-expanded={open} aria-controls={id} onClick={() => model.toggle(space.name)}>
          <Caret.react tag="span" className="jp-Colophon-caret" />
          <span className="jp-Colophon-spaceName">{space.display_name}</span>
          {space.deprecated && <span className="jp-Colophon-kind">{trans.__('deprecated')}</span>}
        </button>
      </h3>
      {space.schemas.length > 0 && (
        <button
          type="button"
          className="jp-Colophon-tool"
          title={trans.__('Create in %1', space.display_name)}
          aria-label={trans.__('Create in %1', space.display_name)}
          aria-haspopup={space.schemas.length > 1 ? 'menu' : undefined}
          onClick={event => actions.create(space, event.currentTarget)}
        >
          <addIcon.react tag="span" />
        </button>
      )}
    </div>
  );
}

function SpaceSection(props: ISchemaspacesProps & { space: Space; open: boolean }): React.JSX.Element {
  const { model, space, open, actions, trans } = props;
  const id = `jp-colophon-space-${space.name}`;
  return (
    <section className="jp-Colophon-space" data-space={space.name} data-open={open} aria-labelledby={`${id}-title`}>
      <Head {...props} id={id} />
      <div id={id} className="jp-Colophon-spaceBody" hidden={!open}>
        {open && (
          <Section
            space={space}
            model={model.getSection(space.name)}
            select={row => model.select(row === null ? null : { space: space.name, row })}
            actions={actions}
            trans={trans}
          />
        )}
      </div>
    </section>
  );
}

/** The schemas that could not be loaded. Others are not affected. */
function LoadProblems(props: {
  problems: ISchemaspacesState['problems'];
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { problems, trans } = props;
  if (problems.length === 0) {
    return null;
  }
  return (
    <details className="jp-Colophon-load-problems">
      <summary>{trans._n('%1 schema could not be loaded', '%1 schemas could not be loaded', problems.length)}</summary>
      <ul>
        {problems.map((problem, index) => (
          <li key={index}>
            <b>{problem.source}</b>
            {problem.distribution !== '' && ` (${problem.distribution} ${problem.version})`}: {problem.reason}{' '}
            {problem.timedOut && trans.__('The schema will be available when its provider finishes loading.')}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The body of the panel: a section for each schemaspace. */
export function SchemaspacesBody(props: ISchemaspacesProps): React.JSX.Element {
  const { model, trans } = props;
  const state = useModel(model);
  return (
    <div className="jp-Colophon-spaces" aria-busy={state.busy}>
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      {state.spaces.map(space => (
        <SpaceSection key={space.name} {...props} space={space} open={state.open.has(space.name)} />
      ))}
      {state.answered && state.spaces.length === 0 && (
        <p className="jp-Colophon-note">{trans.__('No schemaspaces.')}</p>
      )}
      <LoadProblems problems={state.problems} trans={trans} />
    </div>
  );
}
