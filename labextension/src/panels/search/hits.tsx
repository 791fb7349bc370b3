import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { SearchResults } from '../../generated/api';
import type { IRecent } from '../../model/recent';
import { TagList } from '../../components/tags';
import { moment, tableWords, typeWord } from '../../components/words';

type Hit = SearchResults['hits'][number];

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

/** Why a hit is one; its own tags, name and type are on show already. */
function reasons(hit: Hit): Hit['matches'] {
  return hit.matches.filter(match => match.key !== 'tags' && ['key', 'value'].includes(match.matchedOn)).slice(0, 3);
}

/** A text with what was found marked in it; plain text, whatever somebody wrote. */
function Marked({ parts }: { parts: Hit['matches'][number]['parts'] }): React.JSX.Element {
  return <>{parts.map((part, index) => (part.highlighted ? <mark key={index}>{part.text}</mark> : part.text))}</>;
}

function Reason({ match }: { match: Hit['matches'][number] }): React.JSX.Element {
  const text = <Marked parts={match.parts} />;
  return (
    <span className="jp-Colophon-match" title={match.aspect}>
      <b>{match.matchedOn === 'key' ? text : match.key}</b> {match.matchedOn === 'key' ? match.value : text}
    </span>
  );
}

/** A name; that of a column says of which table it is. */
function Name(props: { urn: string; trans: TranslationBundle; children: React.ReactNode }): React.JSX.Element {
  const words = tableWords(props.urn, props.trans);
  return (
    <span className="jp-Colophon-name">
      {props.children}
      {words !== '' && ` ${words}`}
    </span>
  );
}

/** The name, marked where it is why the hit is one. */
function MarkedName({ hit }: { hit: Hit }): React.JSX.Element {
  const match = hit.matches.find(one => one.matchedOn === 'name');
  return match ? <Marked parts={match.parts} /> : <>{hit.name}</>;
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
          <MarkedName hit={hit} />
        </Name>
        <span className="jp-Colophon-place">{place(hit, trans)}</span>
        {hit.description !== '' && <span className="jp-Colophon-description">{hit.description}</span>}
        {reasons(hit).map((match, index) => (
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
            <Name urn={entity.urn} trans={trans}>
              {entity.name}
            </Name>
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
