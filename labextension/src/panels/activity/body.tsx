import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getStatusLabel, getTypeLabel } from '../../components/labels';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { useModel } from '../../components/use-model';
import { usePulse } from '../../components/use-pulse';
import { Difference } from '../../components/versions';
import type { Change, Run } from '../../generated/api';
import { getTypeIcon } from '../../icons';
import type { IActivity } from '../../model/live/activities';
import { getRunStatus, listAccessedData } from '../../model/live/activities';
import type { IFollowedEntities } from '../../tokens';
import { describeChanges, getEntityLabel, listDifferences } from './lines';
import type { ActivityModel } from './model';

/** More differences or entities of one activity are counted only. */
const MAX_LINES = 3;

interface IActivityProps {
  model: ActivityModel;
  /** The entities that the user follows; null without settings. */
  followed: IFollowedEntities | null;
  openEntity: (urn: string) => void;
  trans: TranslationBundle;
}

interface IRowProps extends Pick<IActivityProps, 'openEntity' | 'trans'> {
  activity: IActivity;
}

function EntityLink(props: Pick<IActivityProps, 'openEntity'> & { entity: Change | IActivity }): React.JSX.Element {
  const { entity, openEntity } = props;
  return (
    <button type="button" className="jp-Colophon-link" title={entity.urn} onClick={() => openEntity(entity.urn)}>
      {getEntityLabel(entity)}
    </button>
  );
}

function Data(
  props: { label: string; data: readonly Change[] } & Omit<IRowProps, 'activity'>
): React.JSX.Element | null {
  const { label, data, openEntity, trans } = props;
  return data.length === 0 ? null : (
    <p>
      {label}{' '}
      {data.slice(0, MAX_LINES).map((change, index) => (
        <React.Fragment key={change.urn}>
          {index > 0 && ', '}
          <EntityLink entity={change} openEntity={openEntity} />
        </React.Fragment>
      ))}
      {data.length > MAX_LINES && ` ${trans.__('and %1 more', data.length - MAX_LINES)}`}
    </p>
  );
}

/** What a run read and wrote. */
function RunLines(props: IRowProps): React.JSX.Element {
  const { activity, trans } = props;
  const { read, written } = listAccessedData(activity);
  return (
    <>
      <Data {...props} label={trans.__('Wrote')} data={written} />
      <Data {...props} label={trans.__('Read')} data={read} />
    </>
  );
}

/** What changed in an entity. */
function ChangeLines({ activity, trans }: IRowProps): React.JSX.Element {
  const differences = React.useMemo(() => listDifferences(activity.changes), [activity.changes]);
  const sentence = describeChanges(activity.changes, trans);
  return (
    <>
      {sentence !== '' && <p>{sentence}</p>}
      {differences.length > 0 && (
        <ul className="jp-Colophon-differences">
          {differences.slice(0, MAX_LINES).map((difference, index) => (
            <Difference key={index} difference={difference} trans={trans} />
          ))}
        </ul>
      )}
      {differences.length > MAX_LINES && (
        <p className="jp-Colophon-note">{trans.__('and %1 more changes', differences.length - MAX_LINES)}</p>
      )}
    </>
  );
}

function Row(props: IRowProps & { isNew: boolean }): React.JSX.Element {
  const { activity, isNew, openEntity, trans } = props;
  const Icon = getTypeIcon(activity.type);
  const status = getRunStatus(activity);
  const pulse = usePulse<HTMLLIElement>(activity.time, isNew);
  return (
    <li className="jp-Colophon-activity" data-urn={activity.urn} ref={pulse}>
      <div className="jp-Colophon-activityHead">
        <span title={getTypeLabel(activity.type, trans)}>
          <Icon.react tag="span" width="14px" />
        </span>
        <EntityLink entity={activity} openEntity={openEntity} />
        {status !== null && (
          <span className="jp-Colophon-status" data-status={status}>
            {getStatusLabel(status as Run['status'], trans)}
          </span>
        )}
      </div>
      {activity.run === null ? <ChangeLines {...props} /> : <RunLines {...props} />}
      <p className="jp-Colophon-subtitle">
        {activity.actor} · <RelativeTime time={activity.time} trans={trans} />
      </p>
    </li>
  );
}

function concernsFollowed(activity: IActivity, followed: IFollowedEntities): boolean {
  return activity.changes.some(change => followed.has(change.urn));
}

/** The latest changes of the catalog, of all entities or of the followed ones. */
export function ActivityBody({ model, followed, openEntity, trans }: IActivityProps): React.JSX.Element {
  const { activities, seenUntil, hasMore, busy, problem } = useModel(model);
  const [onlyFollowed, setOnlyFollowed] = React.useState(false);
  const shown =
    followed && onlyFollowed ? activities.filter(activity => concernsFollowed(activity, followed)) : activities;
  return (
    <div className="jp-Colophon-activityBody" aria-busy={busy}>
      <div className="jp-Colophon-activityFilter">
        <h2>{trans.__('Activity')}</h2>
        {followed && (
          <button
            type="button"
            className="jp-Colophon-button"
            aria-pressed={onlyFollowed}
            onClick={() => setOnlyFollowed(!onlyFollowed)}
          >
            {trans.__('Followed only')}
          </button>
        )}
      </div>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {shown.length === 0 && !busy && problem === null && (
        <p className="jp-Colophon-note">
          {onlyFollowed
            ? trans.__('No recent changes of followed entities.')
            : trans.__('No changes yet. Runs and edits appear here as they happen.')}
        </p>
      )}
      <ul className="jp-Colophon-activities" aria-label={trans.__('Latest changes')}>
        {shown.map(activity => (
          <Row
            key={activity.id}
            activity={activity}
            isNew={(activity.changes[0]?.seq ?? 0) > seenUntil}
            openEntity={openEntity}
            trans={trans}
          />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="jp-Colophon-button" disabled={busy} onClick={() => void model.loadMore()}>
          {trans.__('Show earlier changes')}
        </button>
      )}
    </div>
  );
}
