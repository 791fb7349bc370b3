import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { SearchResults } from '../../generated/api';
import type { IRecentEntity } from '../../model/recent';
import { TagList } from '../../components/tags';
import { formatTime, formatTable, getTypeLabel } from '../../components/labels';

type Hit = SearchResults['hits'][number];

interface IHitProps {
  hit: Hit;
  open: (urn: string) => void;
  trans: TranslationBundle;
}

function formatPlace(
  entity: { type: string; namespace: string; platform?: string | null },
  trans: TranslationBundle
): string {
  return [entity.namespace, getTypeLabel(entity.type, trans), entity.platform ?? '']
    .filter(word => word !== '')
    .join(' · ');
}

/** Lists why an entity matches; its tags, name and type are shown already. */
function listReasons(hit: Hit): Hit['matches'] {
  return hit.matches.filter(match => match.key !== 'tags' && ['key', 'value'].includes(match.matchedOn)).slice(0, 3);
}

/** A text with highlighted parts; plain text. */
function HighlightedText({ parts }: { parts: Hit['matches'][number]['parts'] }): React.JSX.Element {
  return <>{parts.map((part, index) => (part.highlighted ? <mark key={index}>{part.text}</mark> : part.text))}</>;
}

function Reason({ match }: { match: Hit['matches'][number] }): React.JSX.Element {
  const text = <HighlightedText parts={match.parts} />;
  return (
    <span className="jp-Colophon-match" title={match.aspect}>
      <b>{match.matchedOn === 'key' ? text : match.key}</b> {match.matchedOn === 'key' ? match.value : text}
    </span>
  );
}

/** A name; for a column, with its table. */
function Name(props: { urn: string; trans: TranslationBundle; children: React.ReactNode }): React.JSX.Element {
  const words = formatTable(props.urn, props.trans);
  return (
    <span className="jp-Colophon-name">
      {props.children}
      {words !== '' && ` ${words}`}
    </span>
  );
}

/** The name of a hit, highlighted if it matches. */
function HitName({ hit }: { hit: Hit }): React.JSX.Element {
  const match = hit.matches.find(({ matchedOn }) => matchedOn === 'name');
  return match ? <HighlightedText parts={match.parts} /> : <>{hit.name}</>;
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
        <Name urn={hit.urn} trans={trans}>
          <HitName hit={hit} />
        </Name>
        <span className="jp-Colophon-subtitle">{formatPlace(hit, trans)}</span>
        {hit.description !== '' && <span className="jp-Colophon-description">{hit.description}</span>}
        {listReasons(hit).map((match, index) => (
          <Reason match={match} key={index} />
        ))}
        {owner !== '' && !hit.matches.some(match => match.key === 'owner') && (
          <span className="jp-Colophon-match">
            <b>{trans.__('owner')}</b> {owner}
          </span>
        )}
      </button>
      <TagList tags={hit.tags} label={trans.__('Tags of %1', hit.name)} />
      <TagList tags={hit.terms} label={trans.__('Glossary terms of %1', hit.name)} kind="term" />
      <TagList tags={hit.domains} label={trans.__('Domains of %1', hit.name)} kind="domain" />
    </li>
  );
}

/** The matching entities. */
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

/** Recently changed or used entities. */
export function Recent(props: {
  recent: readonly IRecentEntity[];
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
            <Name urn={entity.urn} trans={trans}>
              {entity.name}
            </Name>
            <span className="jp-Colophon-subtitle">{formatPlace(entity, trans)}</span>
            <span className="jp-Colophon-description">
              {entity.activity === 'used'
                ? trans.__('read or written by %1, %2', entity.actor, formatTime(entity.time))
                : trans.__('changed by %1, %2', entity.actor, formatTime(entity.time))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
