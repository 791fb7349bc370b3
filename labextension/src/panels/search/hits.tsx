import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { SearchAnswer } from '../../generated/api';
import type { IRecent } from '../../model/recent';
import { TagList } from '../pieces/tags';
import { moment, typeWord } from '../pieces/words';

type Hit = SearchAnswer['hits'][number];

interface IHitProps {
  hit: Hit;
  open: (urn: string) => void;
  trans: TranslationBundle;
}

function place(
  entity: { type: string; namespace: string; platform?: string | null },
  trans: TranslationBundle
): string {
  return [entity.namespace, typeWord(entity.type, trans), entity.platform ?? '']
    .filter(word => word !== '')
    .join(' · ');
}

/** Why a hit is one; its own tags and name are on show already. */
function reasons(hit: Hit): Hit['matches'] {
  return hit.matches.filter(match => match.key !== 'tags' && match.key !== 'name').slice(0, 3);
}

function HitItem({ hit, open, trans }: IHitProps): React.JSX.Element {
  const owner = hit.owner ?? '';
  return (
    <li>
      <button
        type="button"
        className="jp-Colophon-item jp-Colophon-hit"
        title={hit.urn}
        data-urn={hit.urn}
        onClick={() => open(hit.urn)}
      >
        <span className="jp-Colophon-name">{hit.name}</span>
        <span className="jp-Colophon-place">{place(hit, trans)}</span>
        {hit.description !== '' && <span className="jp-Colophon-description">{hit.description}</span>}
        {reasons(hit).map((match, index) => (
          <span className="jp-Colophon-match" key={index}>
            <b>{match.key}</b> {match.value}
          </span>
        ))}
        {owner !== '' && !hit.matches.some(match => match.key === 'owner') && (
          <span className="jp-Colophon-match">
            <b>{trans.__('owner')}</b> {owner}
          </span>
        )}
      </button>
      <TagList tags={hit.tags} label={trans.__('Tags of %1', hit.name)} />
    </li>
  );
}

/** Entities that match. */
export function Hits(props: {
  hits: readonly Hit[];
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  return (
    <ul className="jp-Colophon-list">
      {props.hits.map(hit => (
        <HitItem key={hit.urn} hit={hit} open={props.open} trans={props.trans} />
      ))}
    </ul>
  );
}

/** Entities that were changed or used lately. */
export function Recent(props: {
  recent: readonly IRecent[];
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { recent, open, trans } = props;
  return (
    <ul className="jp-Colophon-list">
      {recent.map(entity => (
        <li key={entity.urn}>
          <button
            type="button"
            className="jp-Colophon-item jp-Colophon-hit"
            title={entity.urn}
            data-urn={entity.urn}
            onClick={() => open(entity.urn)}
          >
            <span className="jp-Colophon-name">{entity.name}</span>
            <span className="jp-Colophon-place">{place(entity, trans)}</span>
            <span className="jp-Colophon-description">
              {entity.how === 'used'
                ? trans.__('read or written by %1, %2', entity.actor, moment(entity.time))
                : trans.__('changed by %1, %2', entity.actor, moment(entity.time))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
