import type { TranslationBundle } from '@jupyterlab/translation';
import { checkIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { getLastPart } from '../../components/labels';
import { QualityMark } from '../../components/quality';
import { useModel } from '../../components/use-model';
import { useScrollPosition } from '../../components/use-scroll-position';
import type { SearchResults } from '../../generated/api';
import { formatDay } from '../../model/stewardship/certification';
import { shortenUrn } from '../../model/urns';
import { getScrollTop, getVisibleRows } from '../../model/virtual-rows';
import { useTagDrop } from '../../components/tag-drag';
import { EntityRow, getRowName } from './entity-row';
import type { ISearchActions } from './index';
import type { SearchModel } from './model';

type Hit = SearchResults['hits'][number];
type Match = Hit['matches'][number];

/** Number of rows before the end of the list at which the next page is loaded. */
const ROWS_AHEAD = 10;
const MAX_TAGS = 3;

interface IHitProps {
  hit: Hit;
  index: number;
  /** The number of loaded hits. */
  count: number;
  rowHeight: number;
  model: SearchModel;
  actions: ISearchActions;
  trans: TranslationBundle;
  isTabStop: boolean;
  /** Handles a click with a modifier key; returns whether it selects. */
  select: (event: React.MouseEvent, index: number) => boolean;
}

/** A text with highlighted parts; plain text. */
function HighlightedText({ parts }: { parts: Match['parts'] }): React.JSX.Element {
  return <>{parts.map((part, index) => (part.highlighted ? <mark key={index}>{part.text}</mark> : part.text))}</>;
}

/** Returns the tags that users wrote. */
function listUserTags({ tags, systemTags }: Hit): string[] {
  const bySystem = new Set(systemTags);
  return tags.filter(tag => !bySystem.has(tag));
}

/** Returns why an entity was found, unless its name, its type or its tags show it; user metadata comes first. */
function findReason(hit: Hit): Match | undefined {
  const isNamed = hit.matches.some(match => match.matchedOn === 'name' || isInName(hit, match));
  const shownTags = new Set(listUserTags(hit));
  const reasons = hit.matches.filter(
    match => match.matchedOn !== 'type' && !(match.key === 'tags' && shownTags.has(match.value))
  );
  return isNamed ? undefined : (reasons.find(({ scope }) => scope === 'USER') ?? reasons[0]);
}

function Reason({ match }: { match: Match }): React.JSX.Element {
  const text = <HighlightedText parts={match.parts} />;
  const { key, matchedOn, value } = match;
  // What matches in a URN is behind words that all URNs have.
  const shown = value.startsWith('urn:li:') ? shortenUrn(value) : matchedOn === 'key' ? value : text;
  return (
    <span className="jp-Colophon-match" title={match.aspect}>
      <b>{matchedOn === 'key' ? text : key}</b> {shown}
    </span>
  );
}

/** Whether a match is in the name that is shown. */
function isInName({ displayName }: Hit, { key, matchedOn, value }: Match): boolean {
  return displayName === null ? matchedOn === 'name' : key === 'name' && value === displayName;
}

/** The name, highlighted if it matches; of a path the last part, since the rest is shown beside it. */
function HitName({ hit }: { hit: Hit }): React.JSX.Element {
  const match = hit.matches.find(found => isInName(hit, found));
  const isWhole = hit.displayName !== null || getLastPart(hit.name) === hit.name;
  return match && isWhole ? <HighlightedText parts={match.parts} /> : <>{getRowName(hit)}</>;
}

/** A mark of a certified entity; its tooltip has who certified it, until when, and the note. */
function Certified(props: {
  certification: NonNullable<Hit['certification']>;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { certification, trans } = props;
  const { by, until, note } = certification;
  const sentence =
    until === null ? trans.__('Certified by %1', by) : trans.__('Certified by %1 until %2', by, formatDay(until));
  const title = note === '' ? sentence : `${sentence}. ${note}`;
  return (
    <span className="jp-Colophon-certified" role="img" aria-label={sentence} title={title}>
      <checkIcon.react tag="span" width="14px" height="14px" />
    </span>
  );
}

function HitDetails({ hit, trans }: { hit: Hit; trans: TranslationBundle }): React.JSX.Element {
  const reason = findReason(hit);
  const all = [...listUserTags(hit), ...hit.terms, ...hit.domains];
  const tags = all.slice(0, MAX_TAGS);
  const folded = [...all.slice(MAX_TAGS), ...hit.systemTags];
  const owner = hit.owner !== null && hit.owner !== '' && tags.length === 0;
  return (
    <>
      {hit.certification?.expired === false && <Certified certification={hit.certification} trans={trans} />}
      {hit.quality !== null && hit.quality !== 'unknown' && <QualityMark status={hit.quality} trans={trans} />}
      {tags.map(tag => (
        <span key={tag} className="jp-Colophon-tag">
          {tag}
        </span>
      ))}
      {folded.length > 0 && (
        <span className="jp-Colophon-moreTags" title={folded.join(', ')}>
          {trans.__('+%1', folded.length)}
        </span>
      )}
      {reason ? <Reason match={reason} /> : <span className="jp-Colophon-description">{hit.description}</span>}
      {!reason && hit.description === '' && owner && (
        <span className="jp-Colophon-match">{trans.__('owner %1', hit.owner)}</span>
      )}
    </>
  );
}

/** A hit with a checkbox that selects it; a tag can be dropped on it. */
function HitItem(props: IHitProps): React.JSX.Element {
  const { hit, index, count, rowHeight, model, actions, trans, isTabStop, select } = props;
  const isSelected = useModel(model).selected.has(hit.urn);
  const drop = useTagDrop(tag => actions.addTag(tag, hit.urn));
  return (
    <li
      data-at={index}
      data-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={count}
      style={{ top: index * rowHeight, height: rowHeight }}
      onClickCapture={event => {
        if (select(event, index)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
      {...drop}
    >
      <EntityRow
        entity={hit}
        openers={actions}
        trans={trans}
        isTabStop={isTabStop}
        name={<HitName hit={hit} />}
        changed={hit.updated.time}
      >
        <HitDetails hit={hit} trans={trans} />
      </EntityRow>
      <input
        type="checkbox"
        className="jp-Colophon-hitCheck"
        aria-label={trans.__('Select %1', getRowName(hit))}
        tabIndex={isTabStop ? 0 : -1}
        checked={isSelected}
        onChange={() => model.toggleSelected(hit.urn)}
      />
    </li>
  );
}

const STEPS: Record<string, (at: number, last: number, page: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: at => at - 1,
  PageDown: (at, last, page) => Math.min(last, at + page),
  PageUp: (at, _, page) => Math.max(0, at - page),
  Home: () => 0,
  End: (_, last) => last
};

function findRow(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
}

/** The matching entities as a list with arrow key navigation; only visible rows are rendered. */
export function Hits(props: {
  model: SearchModel;
  actions: ISearchActions;
  trans: TranslationBundle;
  /** Focuses the search box, which is above the first hit. */
  leave: () => void;
}): React.JSX.Element {
  const { model, actions, trans, leave } = props;
  const { hits, cursor, selected } = useModel(model);
  const list = React.useRef<HTMLDivElement>(null);
  const [active, setActive] = React.useState(0);
  const [focusedRow, focusRow] = React.useState<number | null>(null);
  const scrolled = useScrollPosition(list);
  const [first, end] = getVisibleRows(scrolled, hits.length);
  const activeIndex = Math.max(0, Math.min(active, hits.length - 1));
  React.useEffect(() => {
    if (cursor !== null && end > hits.length - ROWS_AHEAD) {
      void model.loadMore();
    }
  }, [model, cursor, end, hits.length]);
  // A row may only be rendered after the list was scrolled to it.
  React.useEffect(() => {
    if (focusedRow !== null) {
      list.current?.querySelector<HTMLElement>(`[data-at="${focusedRow}"] button`)?.focus({ preventScroll: true });
      focusRow(null);
    }
  }, [focusedRow]);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const row = findRow(event.target);
    const step = STEPS[event.key];
    if (!row || !step || !list.current) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const page = Math.max(1, Math.floor(scrolled.height / scrolled.rowHeight) - 1);
    const next = step(Number(row.dataset['at']), hits.length - 1, page);
    if (next < 0) {
      leave();
      return;
    }
    list.current.scrollTop = getScrollTop({ ...scrolled, top: list.current.scrollTop }, next);
    setActive(next);
    focusRow(next);
  };
  /** Ctrl or Cmd selects one more hit, Shift all hits from the active one. */
  const select = (event: React.MouseEvent, index: number): boolean => {
    const hit = hits[index];
    if (hit === undefined || (!event.ctrlKey && !event.metaKey && !event.shiftKey)) {
      return false;
    }
    if (event.shiftKey) {
      model.selectRange(activeIndex, index);
    } else {
      model.toggleSelected(hit.urn);
    }
    setActive(index);
    return true;
  };
  const visible = [...new Set([activeIndex, ...Array.from({ length: end - first }, (_, index) => first + index)])];
  return (
    <div
      ref={list}
      className="jp-Colophon-hits"
      data-selecting={selected.size > 0}
      onKeyDown={onKeyDown}
      onFocus={event => {
        const index = Number(findRow(event.target)?.dataset['at']);
        if (!Number.isNaN(index)) {
          setActive(index);
        }
      }}
    >
      <ul className="jp-Colophon-list" style={{ height: hits.length * scrolled.rowHeight }}>
        {visible
          .sort((left, right) => left - right)
          .map(index => {
            const hit = hits[index];
            return hit === undefined ? null : (
              <HitItem
                key={hit.urn}
                hit={hit}
                index={index}
                count={hits.length}
                rowHeight={scrolled.rowHeight}
                model={model}
                actions={actions}
                trans={trans}
                isTabStop={index === activeIndex}
                select={select}
              />
            );
          })}
      </ul>
    </div>
  );
}
