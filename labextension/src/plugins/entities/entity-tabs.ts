import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Entity } from '../../generated/api';
import { hasLineage } from '../../model/urns';
import type { TAB_VIEWS } from '../../panels/entity';
import type { IEntityTabRegistry } from '../../tokens';

type View = keyof typeof TAB_VIEWS;

/** The distance between the ranks of our tabs, for tabs of other extensions between them. */
const RANK_STEP = 100;

function countColumns(entity: Entity): number | undefined {
  const { fields }: { fields?: unknown } = entity.aspects['schemaMetadata']?.value ?? {};
  return Array.isArray(fields) ? fields.length : undefined;
}

/** Adds our own tabs of the page of an entity; their code is loaded with the first page. */
export function addEntityTabs(tabs: IEntityTabRegistry, trans: TranslationBundle): void {
  const isTraced = ({ urn }: Entity): boolean => hasLineage(urn);
  const own: readonly [View, string, ((entity: Entity) => boolean)?][] = [
    ['overview', trans.__('Overview')],
    ['columns', trans.__('Columns'), ({ type }) => type === 'dataset'],
    ['lineage', trans.__('Lineage'), isTraced],
    ['runs', trans.__('Runs'), isTraced],
    ['history', trans.__('History')],
    ['raw', trans.__('Raw')]
  ];
  own.forEach(([id, title, isVisible = () => true], index) =>
    tabs.add({
      id,
      rank: (index + 1) * RANK_STEP,
      title,
      isVisible,
      component: React.lazy(async () => ({ default: (await import('../../panels/entity')).TAB_VIEWS[id] })),
      ...(id === 'columns' ? { getCount: countColumns } : {})
    })
  );
}
