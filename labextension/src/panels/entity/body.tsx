import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Entity } from '../../generated/api';
import { lineageIcon } from '../../icons';
import { hasLineage, parseColumnUrn, parseNotebookUrn, shortenUrn } from '../../model/urns';
import { ProblemNote } from '../../components/problem';
import { RunList } from '../../components/runs';
import { useModel } from '../../components/use-model';
import { formatTime, getTypeLabel } from '../../components/labels';
import { SystemAspects, UserAspects } from './aspects';
import { History } from './history';
import type { IEntityActions } from './index';
import type { EntityModel } from './model';
import { ProfileTable } from './profile-table';
import { Schema } from './schema';
import { Vocabulary } from './vocabulary';

interface IEntityProps {
  model: EntityModel;
  actions: IEntityActions;
  /** Closes the form after a confirmation, if there are unsaved changes. */
  stopEditing: () => Promise<void>;
  trans: TranslationBundle;
}

function isRemoved(entity: Entity): boolean {
  const status: { removed?: unknown } = entity.aspects['status']?.value ?? {};
  return status.removed === true;
}

/** The table of a column. */
function Table({ model, actions, trans }: IEntityProps): React.JSX.Element | null {
  const table = parseColumnUrn(model.urn)?.table;
  return table === undefined ? null : (
    <p className="jp-Colophon-subtitle">
      {trans.__('Column of')}{' '}
      <button type="button" className="jp-Colophon-link" title={table} onClick={() => actions.openEntity(table)}>
        {shortenUrn(table)}
      </button>
    </p>
  );
}

function Head(props: IEntityProps): React.JSX.Element {
  const { model, actions, trans } = props;
  const { entity } = useModel(model);
  const notebook = parseNotebookUrn(model.urn);
  const place = entity ? [entity.namespace, getTypeLabel(entity.type, trans), entity.platform ?? ''] : [];
  return (
    <div className="jp-Colophon-head">
      <div>
        <h1>{entity?.name ?? shortenUrn(model.urn)}</h1>
        <p className="jp-Colophon-subtitle">{place.filter(word => word !== '').join(' · ')}</p>
        <Table {...props} />
        <p className="jp-Colophon-urn">
          <code>{model.urn}</code>
        </p>
        {entity && (
          <p className="jp-Colophon-subtitle">
            {trans.__(
              'Created %1, last changed %2 by %3',
              formatTime(entity.created.time),
              formatTime(entity.updated.time),
              entity.updated.actor
            )}
          </p>
        )}
        {entity && isRemoved(entity) && <p role="note">{trans.__('Deleted; the history is available.')}</p>}
      </div>
      {hasLineage(model.urn) && (
        <div className="jp-Colophon-actions">
          {notebook && (
            <button type="button" className="jp-Colophon-button" onClick={() => actions.openCell({ ...notebook })}>
              {notebook.cell === undefined ? trans.__('Open notebook') : trans.__('Open cell')}
            </button>
          )}
          <button type="button" className="jp-Colophon-button" onClick={() => actions.openLineage(model.urn)}>
            <lineageIcon.react tag="span" width="16px" />
            {trans.__('Lineage')}
          </button>
        </div>
      )}
    </div>
  );
}

function Profile({ model, trans }: IEntityProps): React.JSX.Element | null {
  const { profile, profileProblem } = useModel(model);
  if (profile === null && profileProblem === null) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Profile')}>
      <h2>{trans.__('Profile')}</h2>
      {profileProblem && <ProblemNote problem={profileProblem} trans={trans} />}
      {profile && <ProfileTable profile={profile} trans={trans} />}
    </section>
  );
}

function Runs({ model, actions, trans }: IEntityProps): React.JSX.Element {
  const { runs, runsCursor, runsProblem } = useModel(model);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Runs')}>
      <h2>{trans.__('Runs')}</h2>
      {runsProblem && <ProblemNote problem={runsProblem} trans={trans} />}
      {runs && (
        <RunList
          runs={runs}
          label={trans.__('Runs')}
          open={urn => actions.openEntity(urn)}
          openCell={place => actions.openCell(place)}
          trans={trans}
        />
      )}
      {runsCursor !== null && (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreRuns()}>
          {trans.__('More')}
        </button>
      )}
    </section>
  );
}

/** The body of the page of an entity. */
export function EntityBody(props: IEntityProps): React.JSX.Element {
  const { model, trans } = props;
  const state = useModel(model);
  const title = React.useMemo(() => {
    const titles = new Map(state.type?.aspects.map(spec => [spec.name, spec.title]));
    return (name: string) => titles.get(name) ?? name;
  }, [state.type]);
  if (!state.entity) {
    return (
      <div className="jp-Colophon-page" aria-busy={state.busy}>
        <Head {...props} />
        {state.problem ? (
          <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />
        ) : (
          <p role="status">{trans.__('Loading…')}</p>
        )}
        {state.runs !== null && state.runs.length > 0 && <Runs {...props} />}
      </div>
    );
  }
  return (
    <div className="jp-Colophon-page" aria-busy={state.busy}>
      <Head {...props} />
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <div className="jp-Colophon-scopes">
        <UserAspects
          model={model}
          stopEditing={props.stopEditing}
          openInstance={urn => props.actions.openInstance(urn)}
          trans={trans}
        />
        <SystemAspects model={model} trans={trans} />
      </div>
      <Vocabulary model={model} actions={props.actions} getTitle={title} trans={trans} />
      <Schema {...props} getTitle={title} />
      <Profile {...props} />
      <Runs {...props} />
      <section className="jp-Colophon-card-section" aria-label={trans.__('History')}>
        <h2>{trans.__('History')}</h2>
        <History model={model} getTitle={title} trans={trans} />
      </section>
    </div>
  );
}
