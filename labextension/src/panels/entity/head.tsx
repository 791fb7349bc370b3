import { bellIcon, copyIcon, deleteIcon, ellipsesIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { BreakableName } from '../../components/breakable-name';
import { getLastPart, getStatusLabel, getTypeLabel, formatTime } from '../../components/labels';
import type { IMenuItem } from '../../components/menu';
import { Menu } from '../../components/menu';
import { RelativeTime } from '../../components/relative-time';
import { getRunName, getRunPlace } from '../../components/run-name';
import type { ITagDropProps } from '../../components/tag-drag';
import { useTagDrop } from '../../components/tag-drag';
import { useModel } from '../../components/use-model';
import { usePulse } from '../../components/use-pulse';
import type { Entity, EntityType, Run } from '../../generated/api';
import { getTypeIcon, lineageIcon } from '../../icons';
import { mergeDescriptors } from '../../model/descriptors';
import { createLoadCode, createMagic } from '../../model/notebooks/load-code';
import {
  describeUrn,
  hasLineage,
  isDataType,
  parseColumnUrn,
  parseCustomUrn,
  parseInstanceUrn,
  parseNotebookUrn,
  shortenUrn
} from '../../model/urns';
import type { IFollowedEntities, IStarredEntities } from '../../tokens';
import { formatBytes } from './columns/figures';
import { QualityBadge } from './quality/quality-badge';
import { Certification, useCertificationItems } from './stewardship/certification';
import type { IPage, IPageProps } from './page';
import { getEntityTitle, startChange } from './page';
import { TagRow, withTag } from './metadata/tag-row';
import { USER_ASPECT, withTags } from './metadata/user-metadata';

/** Returns the label of a type; a type of the user's own has a title in the registry. */
function getTypeTitle(entity: Entity, type: EntityType | null, trans: TranslationBundle): string {
  const label = getTypeLabel(entity.type, trans);
  const title = label === entity.type ? (type?.title ?? label).toLowerCase() : label;
  return parseCustomUrn(entity.urn)?.type ?? title;
}

function isRemoved(entity: Entity): boolean {
  const status: { removed?: unknown } = entity.aspects['status']?.value ?? {};
  return status.removed === true;
}

/** Why the entity should not be used any more; nothing for others. */
function Deprecation({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { deprecated, note }: { deprecated?: unknown; note?: unknown } = entity.aspects['deprecation']?.value ?? {};
  return deprecated === true ? (
    <p role="note" className="jp-Colophon-deprecation">
      <b>{page.trans.__('Deprecated')}</b> {typeof note === 'string' && note}
    </p>
  ) : null;
}

/** The table of a column, and the type of its values. */
function Table({ page }: IPageProps): React.JSX.Element | null {
  const { model, actions, trans } = page;
  const { column } = useModel(model);
  const table = parseColumnUrn(model.urn)?.table;
  return table === undefined ? null : (
    <>
      <span>
        {trans.__('Column of')}{' '}
        <button type="button" className="jp-Colophon-link" title={table} onClick={() => actions.openEntity(table)}>
          {shortenUrn(table)}
        </button>
      </span>
      {column?.type !== undefined && <code>{column.type}</code>}
      {column?.nullable === false && <span>{trans.__('not null')}</span>}
      {column?.isKey === true && <span>{trans.__('key')}</span>}
    </>
  );
}

/** The type, the platform, and the namespace or the schemaspace. */
function Place({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element {
  const { type } = useModel(page.model);
  const space = parseInstanceUrn(entity.urn)?.space ?? entity.namespace;
  const words = [getTypeTitle(entity, type, page.trans), entity.platform ?? '', space];
  return (
    <>
      {[...new Set(words)]
        .filter(word => word !== '' && !(entity.type === 'namespace' && word === entity.name))
        .map(word => (
          <span key={word}>{word}</span>
        ))}
    </>
  );
}

/** The last write of the data. */
function LastWrite({ page, run }: IPageProps & { run: Run }): React.JSX.Element {
  const { actions, trans } = page;
  const pulse = usePulse<HTMLSpanElement>(run.urn);
  const place = getRunPlace(run);
  return (
    <span ref={pulse}>
      {trans.__('written')} <RelativeTime time={run.end ?? run.start} trans={trans} /> {trans.__('by')}{' '}
      <button
        type="button"
        className="jp-Colophon-link"
        title={place === '' ? run.program : trans.__('Open the notebook at the cell')}
        onClick={() => (place === '' ? actions.openEntity(run.program) : actions.openCell({ run: run.urn }))}
      >
        {place === '' ? getRunName(run, trans) : place}
      </button>
    </span>
  );
}

/** The last run of a program. */
function LastRun({ page, run }: IPageProps & { run: Run }): React.JSX.Element {
  const { actions, trans } = page;
  const pulse = usePulse<HTMLSpanElement>(`${run.urn} ${run.status}`);
  return (
    <span ref={pulse}>
      {trans.__('last run')}{' '}
      <button type="button" className="jp-Colophon-link" title={run.urn} onClick={() => actions.openEntity(run.urn)}>
        <RelativeTime time={run.start} trans={trans} />
      </button>
      {', '}
      {getStatusLabel(run.status, trans)}
    </span>
  );
}

/** The last write of the data, the last run of the program, or the last change of other entities. */
function Freshness({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element {
  const { model, trans } = page;
  const { lastRun } = useModel(model);
  const pulse = usePulse<HTMLSpanElement>(entity.updated.time);
  if (lastRun !== null) {
    return entity.type === 'dataJob' ? <LastRun page={page} run={lastRun} /> : <LastWrite page={page} run={lastRun} />;
  }
  return (
    <span title={formatTime(entity.updated.time)} ref={pulse}>
      {trans.__('changed')} <RelativeTime time={entity.updated.time} trans={trans} />{' '}
      {trans.__('by %1', entity.updated.actor)}
    </span>
  );
}

/** The number of rows and the size of the data, where they are known. */
function Size({ page }: IPageProps): React.JSX.Element | null {
  const { model, trans } = page;
  const { profile } = useModel(model);
  const { rows, bytes } = profile ?? {};
  return (
    <>
      {rows !== undefined && (
        <span>{trans._n('%1 row', '%1 rows', rows).replace(String(rows), rows.toLocaleString())}</span>
      )}
      {bytes !== undefined && <span>{formatBytes(bytes)}</span>}
    </>
  );
}

function Star({ page, starred }: IPageProps & { starred: IStarredEntities }): React.JSX.Element {
  const { model, trans } = page;
  useModel(starred);
  const isStarred = starred.has(model.urn);
  const label = trans.__('Starred');
  return (
    <button
      type="button"
      className="jp-Colophon-star"
      aria-pressed={isStarred}
      aria-label={label}
      title={isStarred ? trans.__('Remove the star') : trans.__('Add a star')}
      onClick={() => void starred.toggle(model.urn)}
    >
      <span aria-hidden="true">{isStarred ? '★' : '☆'}</span>
    </button>
  );
}

/** A button that follows the entity: changes by others, of its schema, and failed runs are notified. */
function Follow({ page, followed }: IPageProps & { followed: IFollowedEntities }): React.JSX.Element {
  const { model, trans } = page;
  useModel(followed);
  const isFollowed = followed.has(model.urn);
  return (
    <button
      type="button"
      className="jp-Colophon-button"
      aria-pressed={isFollowed}
      title={
        isFollowed
          ? trans.__('Stop notifying of changes')
          : trans.__('Get a notification of changes by others, of a new schema and of failed runs')
      }
      onClick={() => void followed.toggle(model.urn)}
    >
      <bellIcon.react tag="span" width="16px" />
      {trans.__('Follow')}
    </button>
  );
}

/** A button that shows what depends on a column; nothing for other entities. */
function ColumnImpact({ page }: IPageProps): React.JSX.Element | null {
  const { model, actions, trans } = page;
  return (
    parseColumnUrn(model.urn) && (
      <button
        type="button"
        className="jp-Colophon-button"
        title={trans.__('What depends on the column')}
        onClick={() => void actions.showImpact(model.urn)}
      >
        <lineageIcon.react tag="span" width="16px" />
        {trans.__('Impact')}
      </button>
    )
  );
}

/** Types that are deleted elsewhere: instances in their panel, namespaces with all that is in them. */
const NOT_DELETED = new Set(['instance', 'namespace']);

/** The items of the menu of further actions. */
function listItems(
  { page, entity }: IPageProps & { entity: Entity },
  certificationItems: readonly IMenuItem[],
  mayDelete: boolean
): readonly IMenuItem[] {
  const { actions, trans } = page;
  const { urn, type } = entity;
  const { insertCode } = actions;
  return [
    ...(insertCode === null || createLoadCode(entity, 'pandas') === null
      ? []
      : [{ label: trans.__('Insert pandas code'), icon: pasteIcon, run: () => insertCode(urn, 'pandas') }]),
    ...(createMagic(entity) === null
      ? []
      : [{ label: trans.__('Copy as %metadata'), icon: copyIcon, run: () => actions.copyMagic(urn) }]),
    ...certificationItems,
    { label: trans.__('Copy URN'), icon: copyIcon, run: () => actions.copyText(urn) },
    ...(mayDelete && !isRemoved(entity) && !NOT_DELETED.has(type)
      ? [{ label: trans.__('Delete…'), icon: deleteIcon, run: () => actions.deleteEntity(urn) }]
      : [])
  ];
}

function Actions(props: IPageProps & { entity: Entity; certify: () => void }): React.JSX.Element {
  const { page, entity, certify } = props;
  const { model, actions, services, trans } = page;
  const { urn } = model;
  const { mayDelete } = useModel(model);
  const notebook = parseNotebookUrn(urn);
  const certificationItems = useCertificationItems({ page }, entity, certify);
  const items = listItems({ page, entity }, certificationItems, mayDelete);
  const { insertCode } = actions;
  return (
    <div className="jp-Colophon-actions">
      {notebook && (
        <button type="button" className="jp-Colophon-button" onClick={() => actions.openCell({ ...notebook })}>
          {notebook.cell === undefined ? trans.__('Open notebook') : trans.__('Open cell')}
        </button>
      )}
      {parseInstanceUrn(urn) && (
        <button type="button" className="jp-Colophon-button" onClick={() => actions.openInstance(urn)}>
          {trans.__('Open in editor')}
        </button>
      )}
      {hasLineage(urn) && (
        <button type="button" className="jp-Colophon-button" onClick={() => actions.openLineage(urn)}>
          <lineageIcon.react tag="span" width="16px" />
          {trans.__('Lineage')}
        </button>
      )}
      <ColumnImpact page={page} />
      {insertCode !== null && createLoadCode(entity, 'spark') !== null && (
        <button
          type="button"
          className="jp-Colophon-button"
          title={trans.__('Insert code that loads the data into the active notebook')}
          onClick={() => insertCode(urn, 'spark')}
        >
          <pasteIcon.react tag="span" width="16px" />
          {trans.__('Insert into notebook')}
        </button>
      )}
      {services.followed && <Follow page={page} followed={services.followed} />}
      <Menu label={trans.__('More actions')} icon={ellipsesIcon} items={items} />
    </div>
  );
}

/** The tags of the entity. */
function Tags({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { model, actions, getTitle, trans } = page;
  const { type, mayEdit } = useModel(model);
  const values = React.useMemo(
    () => mergeDescriptors(entity.descriptors.filter(({ kind, column }) => kind === 'tag' && column === null)),
    [entity]
  );
  const spec = type?.aspects.find(({ name }) => name === USER_ASPECT);
  return (
    <TagRow
      page={page}
      values={values}
      label={trans.__('Tags')}
      canEdit={mayEdit && spec !== undefined}
      change={apply => spec && void startChange(page, () => model.change(spec, withTags(apply)))}
      context={{ getTitle, open: urn => actions.openEntity(urn), trans }}
    />
  );
}

/** Makes an element add dropped tags to the entity of the page. */
function useEntityTagDrop(page: IPage): ITagDropProps {
  const { model } = page;
  const { type, mayEdit } = useModel(model);
  const spec = type?.aspects.find(({ name }) => name === USER_ASPECT);
  const addTag = (tag: string): void =>
    void (spec && startChange(page, () => model.change(spec, withTags(withTag(tag)))));
  return useTagDrop(mayEdit && spec !== undefined ? addTag : null);
}

/** Why the entity should not be used: it is deleted or deprecated, or its data fails checks. */
function Notes({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element {
  return (
    <>
      {isRemoved(entity) && <RemovedNote page={page} />}
      <Deprecation page={page} entity={entity} />
      <QualityBadge page={page} entity={entity} />
    </>
  );
}

/** States that the entity is deleted, with a button that restores it. */
function RemovedNote({ page }: IPageProps): React.JSX.Element {
  const { model, actions, trans } = page;
  const { mayDelete } = useModel(model);
  return (
    <p role="note">
      {trans.__('Deleted; the history is available.')}{' '}
      {mayDelete && (
        <button type="button" className="jp-Colophon-button" onClick={() => actions.restoreEntity(model.urn)}>
          {trans.__('Restore')}
        </button>
      )}
    </p>
  );
}

/** The name of the entity; of data in a file, the last part of its path as the heading, and the path below it. */
function Title({ page }: IPageProps): React.JSX.Element {
  const { model, services } = page;
  const { entity } = useModel(model);
  const title = getEntityTitle(model.urn, entity);
  const isPath = isDataType(describeUrn(model.urn).type) && title === (entity?.name ?? shortenUrn(model.urn));
  const name = isPath ? getLastPart(title) : title;
  return (
    <>
      <div className="jp-Colophon-title">
        <h1>{name}</h1>
        {services.starred && <Star page={page} starred={services.starred} />}
      </div>
      {name !== title && (
        <p className="jp-Colophon-fullPath">
          <BreakableName text={title} />
        </p>
      )}
    </>
  );
}

/** The head of the page: what the entity is, how fresh, and what can be done with it. */
export function Head({ page }: IPageProps): React.JSX.Element {
  const { model } = page;
  const { entity } = useModel(model);
  const drop = useEntityTagDrop(page);
  const [isCertifying, setCertifying] = React.useState(false);
  const TypeIcon = getTypeIcon(entity?.type ?? '');
  return (
    <header className="jp-Colophon-head" {...drop}>
      <TypeIcon.react tag="span" className="jp-Colophon-headIcon" width="28px" />
      <div className="jp-Colophon-headText">
        <Title page={page} />
        <p className="jp-Colophon-facts">
          {entity && <Place page={page} entity={entity} />}
          <Table page={page} />
          {entity && <Freshness page={page} entity={entity} />}
          <Size page={page} />
        </p>
        {entity && <Notes page={page} entity={entity} />}
        {entity && (
          <Certification page={page} entity={entity} isEditing={isCertifying} close={() => setCertifying(false)} />
        )}
        {entity && <Tags page={page} entity={entity} />}
      </div>
      {entity && <Actions page={page} entity={entity} certify={() => setCertifying(true)} />}
    </header>
  );
}
