import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import React from 'react';
import type { Entity } from '../../generated/api';
import type { ICellPlace } from '../../model/notebooks/cell-place';
import type { Library } from '../../model/notebooks/load-code';
import { parseCustomUrn, shortenUrn } from '../../model/urns';
import type { ReferenceKind } from '../../model/search/vocabulary';
import type { IEntityTabRegistry, IFollowedEntities, IMetadataService, ISearch, IStarredEntities } from '../../tokens';
import type { EntityModel } from './model';

/** The actions of the page of an entity. */
export interface IEntityActions {
  openEntity(urn: string): void;
  openLineage(urn: string): void;
  openInstance(urn: string): void;
  openCell(place: ICellPlace): void;
  /** Searches in the search panel. */
  search(search: ISearch): void;
  /** Inserts code that loads the data; null where there is no document to insert it into. */
  insertCode: ((urn: string, library: Library) => void) | null;
  copyMagic(urn: string): void;
  copyText(text: string): void;
  /** Asks for an owner, a glossary term or a domain; resolves to its URN, or null if the user cancels. */
  pickReference(kind: ReferenceKind): Promise<string | null>;
  /** Shows what depends on a column. */
  showImpact(urn: string): Promise<void>;
  /** Shows what depends on a column that is to be removed from the schema; resolves to whether the user confirms. */
  confirmColumnRemoval(urn: string): Promise<boolean>;
  /** Asks for a new name of a column, and shows what depends on it; resolves to null if the user cancels. */
  askForColumnName(urn: string, name: string): Promise<string | null>;
  /** Asks for a user or a team; resolves to its URN, or null if the user cancels. */
  pickPerson(type: 'corpuser' | 'corpGroup'): Promise<string | null>;
  deleteEntity(urn: string): void;
  restoreEntity(urn: string): void;
}

/** The services that the page uses; null if they are not available. */
export interface IEntityServices {
  metadata: IMetadataService;
  tabs: IEntityTabRegistry;
  rendermime: IRenderMimeRegistry | null;
  starred: IStarredEntities | null;
  followed: IFollowedEntities | null;
  themeChanged: ISignal<unknown, unknown> | null;
}

/** What all parts of the page of an entity share. */
export interface IPage {
  model: EntityModel;
  actions: IEntityActions;
  services: IEntityServices;
  /** Closes an open edit after a confirmation, if there are unsaved changes; resolves to whether it is closed. */
  stopEditing: () => Promise<boolean>;
  /** Returns the title of an aspect. */
  getTitle: (aspect: string) => string;
  trans: TranslationBundle;
}

/** The page, for its own tabs in the registry. */
export const PageContext = React.createContext<IPage | null>(null);

/** The properties of a part of the page. */
export interface IPageProps {
  page: IPage;
}

/** Returns the name of an entity; that of a custom entity has all values of its URN. */
export function getEntityTitle(urn: string, entity: Entity | null): string {
  const custom = parseCustomUrn(urn);
  return custom
    ? custom.pairs.map(([, value]) => value).join(' ')
    : (entity?.displayName ?? entity?.name ?? shortenUrn(urn));
}

/** Closes an open edit, and starts a change. */
export async function startChange(page: IPage, change: () => Promise<void>): Promise<void> {
  if (await page.stopEditing()) {
    await change();
  }
}
