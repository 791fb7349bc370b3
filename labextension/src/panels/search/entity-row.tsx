import type { TranslationBundle } from '@jupyterlab/translation';
import { notebookIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { formatTable, getLastPart, getTypeLabel } from '../../components/labels';
import { usePulse } from '../../components/use-pulse';
import { getTypeIcon } from '../../icons';
import type { ICellPlace } from '../../model/notebooks/cell-place';
import { parseNotebookUrn } from '../../model/urns';

/** How a row opens the page of its entity. */
export interface IEntityOpeners {
  /** Shows the page in a tab that the next preview replaces; the focus stays. */
  previewEntity(urn: string): void;
  openEntity(urn: string): void;
  /** Opens a notebook at a cell; without it, rows do not link to their cells. */
  openCell?(place: ICellPlace): void;
}

/** What a row shows of an entity. */
interface IRowEntity {
  urn: string;
  type: string;
  name: string;
  namespace: string;
  /** The name by which people know it, if it is not the one in its URN. */
  displayName?: string | null | undefined;
  platform?: string | null;
}

/** Whether an entity has another name than the one in its URN. */
function isNamed({ displayName }: IRowEntity): boolean {
  return typeof displayName === 'string';
}

/** The icon of the type of an entity, with its label. */
function TypeIcon({ type, trans }: { type: string; trans: TranslationBundle }): React.JSX.Element {
  const icon = getTypeIcon(type);
  const label = getTypeLabel(type, trans);
  return (
    <span className="jp-Colophon-typeIcon" role="img" aria-label={label} title={label}>
      <icon.react tag="span" width="16px" height="16px" />
    </span>
  );
}

/** Returns the name of an entity in a row. */
export function getRowName({ displayName, name }: Pick<IRowEntity, 'displayName' | 'name'>): string {
  return displayName ?? getLastPart(name);
}

/** Where an entity is: the notebook of a cell, the table of a column, the folder of a path, else its namespace. */
function RowPath({ entity, trans }: { entity: IRowEntity; trans: TranslationBundle }): React.JSX.Element | null {
  const table = formatTable(entity.urn, trans);
  const place = parseNotebookUrn(entity.urn);
  if (place?.cell !== undefined && isNamed(entity)) {
    const parts = [getLastPart(place.path), getFolder(place.path)];
    return (
      <span className="jp-Colophon-path">
        <span>{joinParts(parts)}</span>
      </span>
    );
  }
  const folder = table === '' ? getFolder(entity.name) : '';
  const others = table === '' ? joinParts([entity.namespace, entity.platform ?? '']) : table;
  if (folder + others === '') {
    return null;
  }
  return (
    <span className="jp-Colophon-path">
      {folder !== '' && (
        <span className="jp-Colophon-folder">
          <bdi dir="ltr">{folder}</bdi>
        </span>
      )}
      <span>{folder !== '' && others !== '' ? ` · ${others}` : others}</span>
    </span>
  );
}

function getFolder(path: string): string {
  return path.slice(0, -getLastPart(path).length).replace(/\/+$/, '');
}

function joinParts(parts: readonly string[]): string {
  return parts.filter(part => part !== '').join(' · ');
}

/** A link to the cell of a program; nothing for other entities. */
function CellLink(props: {
  urn: string;
  openers: IEntityOpeners;
  trans: TranslationBundle;
  isTabStop: boolean;
}): React.JSX.Element | null {
  const { urn, openers, trans, isTabStop } = props;
  const place = parseNotebookUrn(urn);
  if (place === null || !openers.openCell) {
    return null;
  }
  const label = place.cell === undefined ? trans.__('Open notebook') : trans.__('Open cell');
  return (
    <button
      type="button"
      className="jp-Colophon-hitCell"
      aria-label={label}
      title={label}
      tabIndex={isTabStop ? 0 : -1}
      onClick={() => openers.openCell?.({ ...place })}
    >
      <notebookIcon.react tag="span" width="16px" height="16px" />
    </button>
  );
}

/** A row of an entity: a button with icon, name and path, and a second line; cells also have a link to their notebook. */
export function EntityRow(props: Parameters<typeof RowButton>[0]): React.JSX.Element {
  const { entity, openers, trans, isTabStop = true } = props;
  return (
    <>
      <RowButton {...props} />
      <CellLink urn={entity.urn} openers={openers} trans={trans} isTabStop={isTabStop} />
    </>
  );
}

function RowButton(props: {
  entity: IRowEntity;
  openers: IEntityOpeners;
  trans: TranslationBundle;
  isTabStop?: boolean;
  /** The name with highlights; by default, the last part of the name. */
  name?: React.ReactNode;
  children?: React.ReactNode;
  /** When the entity was changed last: the row pulses when it is changed again. */
  changed?: string;
  /** Whether the row pulses when it appears. */
  isNew?: boolean;
}): React.JSX.Element {
  const { entity, openers, trans, isTabStop = true, name, children, changed, isNew } = props;
  const pulse = usePulse<HTMLButtonElement>(changed, isNew);
  // A title is longer than a name: its place is in the second line.
  const isTitled = isNamed(entity);
  const path = <RowPath entity={entity} trans={trans} />;
  return (
    <button
      ref={pulse}
      type="button"
      className="jp-Colophon-item jp-Colophon-hit"
      title={entity.urn}
      data-urn={entity.urn}
      tabIndex={isTabStop ? 0 : -1}
      onClick={() => openers.previewEntity(entity.urn)}
      onDoubleClick={() => openers.openEntity(entity.urn)}
      onKeyDown={event => {
        if (event.key === 'Enter') {
          event.preventDefault();
          openers.openEntity(entity.urn);
        }
      }}
    >
      <TypeIcon type={entity.type} trans={trans} />
      <span className="jp-Colophon-hit-lines">
        <span className="jp-Colophon-hit-line">
          <span className="jp-Colophon-name">{name ?? getRowName(entity)}</span>
          {!isTitled && path}
        </span>
        {(isTitled || children !== undefined) && (
          <span className="jp-Colophon-hit-line jp-Colophon-hit-details">
            {isTitled && path}
            {children}
          </span>
        )}
      </span>
    </button>
  );
}
