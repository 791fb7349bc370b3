import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { EmptyCatalog } from '../../components/empty-catalog';
import { getLastPart, getStatusLabel, getTypeLabel } from '../../components/labels';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { useDisplayNames } from '../../components/use-display-names';
import { useModel } from '../../components/use-model';
import { usePulse } from '../../components/use-pulse';
import { Difference } from '../../components/versions';
import type { Change, Run } from '../../generated/api';
import { getTypeIcon } from '../../icons';
import type { IActivity } from '../../model/live/activities';
import { getRunStatus, listAccessedData } from '../../model/live/activities';
import type { IActivityRow } from '../../model/live/created-entities';
import { foldCreations, isUserMetadata } from '../../model/live/created-entities';
import type { Period } from '../../model/live/period';
import { getPeriodStart } from '../../model/live/period';
import { parseNotebookUrn } from '../../model/urns';
import type { IFollowedEntities } from '../../tokens';
import { describeChanges, describeCreated, getEntityLabel, listDifferences } from './lines';
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
  names: Names;
}

/** The names by which people know entities, by URN. */
type Names = ReadonlyMap<string, string>;

function EntityLink(
  props: Pick<IRowProps, 'names' | 'openEntity'> & { entity: Pick<Change, 'urn' | 'type' | 'name'> }
): React.JSX.Element {
  const { entity, names, openEntity } = props;
  return (
    <button type="button" className="jp-Colophon-link" title={entity.urn} onClick={() => openEntity(entity.urn)}>
      {names.get(entity.urn) ?? getEntityLabel(entity)}
    </button>
  );
}

/** Links to entities; more than a few are shown on request. */
function EntityLinks(props: Omit<IRowProps, 'activity'> & { entities: readonly Change[] }): React.JSX.Element {
  const { entities, trans } = props;
  const [isExpanded, setExpanded] = React.useState(false);
  const shown = isExpanded ? entities : entities.slice(0, MAX_LINES);
  return (
    <>
      {shown.map((change, index) => (
        <React.Fragment key={change.urn}>
          {index > 0 && ', '}
          <EntityLink {...props} entity={change} />
        </React.Fragment>
      ))}
      {entities.length > MAX_LINES && (
        <>
          {' '}
          <button
            type="button"
            className="jp-Colophon-link"
            aria-expanded={isExpanded}
            onClick={() => setExpanded(!isExpanded)}
          >
            {isExpanded ? trans.__('show fewer') : trans.__('and %1 more', entities.length - MAX_LINES)}
          </button>
        </>
      )}
    </>
  );
}

function Data(props: { label: string; data: readonly Change[] } & IRowProps): React.JSX.Element | null {
  const { label, data } = props;
  return data.length === 0 ? null : (
    <p>
      {label} <EntityLinks {...props} entities={data} />
    </p>
  );
}

/** What a run read, wrote and created, and what people changed in it, such as by `%metadata`. */
function RunLines(props: IRowProps): React.JSX.Element {
  const { activity, trans } = props;
  const { read, written } = listAccessedData(activity);
  const created = describeCreated(
    activity.changes.filter(({ type }) => type === 'schemaField'),
    trans
  );
  const users = activity.changes.filter(isUserMetadata);
  return (
    <>
      <Data
        {...props}
        label={written.length > 1 ? trans.__('Wrote %1:', written.length) : trans.__('Wrote')}
        data={written}
      />
      <Data {...props} label={read.length > 1 ? trans.__('Read %1:', read.length) : trans.__('Read')} data={read} />
      {created !== '' && <p>{created}</p>}
      {users.length > 0 && <ChangeLines {...props} activity={{ ...activity, changes: users }} />}
    </>
  );
}

/** What changed in an entity. */
function ChangeLines({ activity, trans }: Pick<IRowProps, 'activity' | 'trans'>): React.JSX.Element {
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

/** The notebook of a cell that has a name of its own. */
function CellPlace({ urn, names }: { urn: string; names: Names }): React.JSX.Element | null {
  const place = parseNotebookUrn(urn);
  return place?.cell === undefined || !names.has(urn) ? null : (
    <span className="jp-Colophon-subtitle" title={place.path}>
      {getLastPart(place.path)}
    </span>
  );
}

function Row(props: IRowProps & { isNew: boolean }): React.JSX.Element {
  const { activity, names, isNew, openEntity, trans } = props;
  const Icon = getTypeIcon(activity.type);
  const status = getRunStatus(activity);
  const pulse = usePulse<HTMLLIElement>(activity.time, isNew);
  return (
    <li className="jp-Colophon-activity" data-urn={activity.urn} ref={pulse}>
      <div className="jp-Colophon-activityHead">
        <span title={getTypeLabel(activity.type, trans)}>
          <Icon.react tag="span" width="14px" />
        </span>
        <EntityLink entity={activity} names={names} openEntity={openEntity} />
        <CellPlace urn={activity.urn} names={names} />
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

/** The entities that one transaction created. */
function CreationRow(
  props: Omit<IRowProps, 'activity'> & { activities: IActivityRow['activities']; isNew: boolean }
): React.JSX.Element {
  const { activities, isNew, trans } = props;
  const [{ actor, time, type }] = activities;
  const changes = activities.flatMap(activity => activity.changes);
  const entities = [...new Map(changes.map(change => [change.urn, change])).values()];
  const Icon = getTypeIcon(type);
  const pulse = usePulse<HTMLLIElement>(time, isNew);
  return (
    <li className="jp-Colophon-activity" ref={pulse}>
      <div className="jp-Colophon-activityHead">
        <Icon.react tag="span" width="14px" />
        <b>{describeCreated(changes, trans)}</b>
      </div>
      <p>
        <EntityLinks {...props} entities={entities} />
      </p>
      <p className="jp-Colophon-subtitle">
        {actor} · <RelativeTime time={time} trans={trans} />
      </p>
    </li>
  );
}

function concernsFollowed(activity: IActivity, followed: IFollowedEntities): boolean {
  return activity.changes.some(change => followed.has(change.urn));
}

/** What the list is filtered by. */
interface IFilter {
  onlyFollowed: boolean;
  period: Period;
  /** The date of the period `since`. */
  date: string;
}

function PeriodSelect(props: {
  filter: IFilter;
  setFilter: (filter: IFilter) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { filter, setFilter, trans } = props;
  const labels: Record<Period, string> = {
    all: trans.__('All'),
    today: trans.__('Today'),
    week: trans.__('Last 7 days'),
    month: trans.__('Last 30 days'),
    since: trans.__('Since…')
  };
  return (
    <>
      <select
        aria-label={trans.__('Time')}
        value={filter.period}
        onChange={event => setFilter({ ...filter, period: event.target.value as Period })}
      >
        {Object.entries(labels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {filter.period === 'since' && (
        <input
          type="date"
          aria-label={trans.__('Since')}
          value={filter.date}
          onChange={event => setFilter({ ...filter, date: event.target.value })}
        />
      )}
    </>
  );
}

function Filters(props: {
  filter: IFilter;
  setFilter: (filter: IFilter) => void;
  canFollow: boolean;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { filter, setFilter, canFollow, trans } = props;
  return (
    <div className="jp-Colophon-activityFilter">
      <h2>{trans.__('Activity')}</h2>
      <PeriodSelect filter={filter} setFilter={setFilter} trans={trans} />
      {canFollow && (
        <button
          type="button"
          className="jp-Colophon-button"
          aria-pressed={filter.onlyFollowed}
          onClick={() => setFilter({ ...filter, onlyFollowed: !filter.onlyFollowed })}
        >
          {trans.__('Followed only')}
        </button>
      )}
    </div>
  );
}

function getEmptyText({ onlyFollowed, period }: IFilter, trans: TranslationBundle): string {
  if (onlyFollowed) {
    return trans.__('No recent changes of followed entities.');
  }
  return period === 'all'
    ? trans.__('No changes yet. Runs and edits appear here as they happen.')
    : trans.__('No changes in this time.');
}

/** The latest changes of the catalog, of all entities or of the followed ones. */
export function ActivityBody({ model, followed, openEntity, trans }: IActivityProps): React.JSX.Element {
  const { activities, earliest, seenUntil, hasMore, permission, busy, problem } = useModel(model);
  const [filter, setFilter] = React.useState<IFilter>({ onlyFollowed: false, period: 'all', date: '' });
  const start = getPeriodStart(filter.period, filter.date, new Date());
  const shown = activities.filter(
    activity =>
      (start === null || activity.time >= start) &&
      (!followed || !filter.onlyFollowed || concernsFollowed(activity, followed))
  );
  const names = useDisplayNames(
    model.names,
    shown.flatMap(activity => activity.changes.map(({ urn }) => urn))
  );
  const rowProps = { names, openEntity, trans };
  return (
    <div className="jp-Colophon-activityBody" aria-busy={busy}>
      <Filters filter={filter} setFilter={setFilter} canFollow={followed !== null} trans={trans} />
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {shown.length === 0 && !busy && problem === null && (
        <EmptyCatalog permission={permission} trans={trans}>
          {getEmptyText(filter, trans)}
        </EmptyCatalog>
      )}
      <ul className="jp-Colophon-activities" aria-label={trans.__('Latest changes')}>
        {foldCreations(shown).map(({ id, activities: [activity, ...others] }) => {
          const isNew = (activity.changes[0]?.seq ?? 0) > seenUntil;
          return others.length === 0 ? (
            <Row key={id} {...rowProps} activity={activity} isNew={isNew} />
          ) : (
            <CreationRow key={id} {...rowProps} activities={[activity, ...others]} isNew={isNew} />
          );
        })}
      </ul>
      {hasMore && (start === null || earliest >= start) && (
        <button type="button" className="jp-Colophon-button" disabled={busy} onClick={() => void model.loadMore()}>
          {trans.__('Show earlier changes')}
        </button>
      )}
    </div>
  );
}
