import React from 'react';
import { useModel } from '../../../components/use-model';
import type { Entity } from '../../../generated/api';
import { getTypeIcon } from '../../../icons';
import { createCurves } from '../../../lineage/curves';
import { formatPath } from '../../../lineage/svg';
import { getNodeName, getNodePlace } from '../../lineage/labels';
import type { INeighbour } from './neighbours';
import type { IPage, IPageProps } from '../page';

/** Number of neighbours on a side before the rest is only counted. */
const MAX_SHOWN = 5;

/** The height of a card, the space below it, and the width of the edges between two columns, as in the style sheet. */
const CARD_HEIGHT = 48;
const CARD_GAP = 8;
const EDGES_WIDTH = 56;
/** The length of the tip of an edge, and half of its height. */
const TIP = { length: 7, half: 4 };

/** The mark of titles that only repeat what a cell wrote. */
const WRITTEN = '→';

/** Returns the name of a program beside what it wrote. */
function getProgramName({ urn, type, name, title }: INeighbour['node']): string {
  return title === undefined || title.startsWith(WRITTEN) ? getNodeName({ urn, type, name }) : title;
}

/** A program between the entity and its neighbour. */
function Through({ page, neighbour }: IPageProps & { neighbour: INeighbour }): React.JSX.Element {
  const { actions, trans } = page;
  const { node, programs } = neighbour;
  const [program] = programs;
  if (program === undefined) {
    return <span className="jp-Colophon-lineagePlace">{getNodePlace(node, trans)}</span>;
  }
  return (
    <span className="jp-Colophon-lineagePlace">
      {trans.__('through')}{' '}
      <button
        type="button"
        className="jp-Colophon-link"
        title={program.urn}
        onClick={() => actions.openEntity(program.urn)}
      >
        {getProgramName(program)}
      </button>
      {programs.length > 1 && ` ${trans.__('and %1 more', programs.length - 1)}`}
    </span>
  );
}

function Neighbour({ page, neighbour }: IPageProps & { neighbour: INeighbour }): React.JSX.Element {
  const { node } = neighbour;
  const Icon = getTypeIcon(node.type);
  return (
    <li className="jp-Colophon-lineageCard" data-type={node.type} data-deleted={node.deleted || undefined}>
      <Icon.react tag="span" width="16px" />
      <div>
        <button
          type="button"
          className="jp-Colophon-link"
          title={node.urn}
          onClick={() => page.actions.openEntity(node.urn)}
        >
          {getNodeName(node)}
        </button>
        <Through page={page} neighbour={neighbour} />
      </div>
    </li>
  );
}

/** The neighbours on one side; further ones are counted on a card that opens the graph. */
function Side(props: { page: IPage; title: string; shown: readonly INeighbour[]; more: number }): React.JSX.Element {
  const { page, title, shown, more } = props;
  const { model, actions, trans } = page;
  return (
    <div className="jp-Colophon-lineageSide">
      <h3>{title}</h3>
      {shown.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('Nothing recorded')}</p>
      ) : (
        <ul aria-label={title}>
          {shown.map(neighbour => (
            <Neighbour key={neighbour.node.urn} page={page} neighbour={neighbour} />
          ))}
          {more > 0 && (
            <li className="jp-Colophon-lineageCard" data-type="more">
              <button type="button" className="jp-Colophon-link" onClick={() => actions.openLineage(model.urn)}>
                {trans.__('and %1 more', more)}
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

/** Returns the height of a column of cards. */
function getColumnHeight(cards: number): number {
  return Math.max(0, cards * (CARD_HEIGHT + CARD_GAP) - CARD_GAP);
}

/** Lists the vertical centres of cards, whose column is centred. */
function listCentres(cards: number, height: number): number[] {
  const top = (height - getColumnHeight(cards)) / 2;
  return Array.from({ length: cards }, (_, index) => top + index * (CARD_HEIGHT + CARD_GAP) + CARD_HEIGHT / 2);
}

/** The edges between two columns of cards, of which one has a single card, in the shape of the viewer's edges. */
function Edges(props: { sources: number; targets: number; height: number }): React.JSX.Element {
  const { sources, targets, height } = props;
  const ends = listCentres(targets, height);
  return (
    <svg className="jp-Colophon-lineageEdges" width={EDGES_WIDTH} height={height} aria-hidden="true">
      {listCentres(sources, height).flatMap(from =>
        ends.map(to => (
          <g key={`${from} ${to}`}>
            <path
              d={formatPath(
                createCurves(
                  [
                    { x: 0, y: from },
                    { x: EDGES_WIDTH - TIP.length, y: to }
                  ],
                  false
                )
              )}
            />
            <path
              className="jp-Colophon-lineageTip"
              d={`M${EDGES_WIDTH - TIP.length} ${to - TIP.half}L${EDGES_WIDTH} ${to}L${EDGES_WIDTH - TIP.length} ${to + TIP.half}z`}
            />
          </g>
        ))
      )}
    </svg>
  );
}

/** Returns the name of the shown entity. */
function getCentreName({ urn, displayName, name, type }: Entity): string {
  return displayName ?? getNodeName({ urn, type: type === 'dataJob' ? 'dataJob' : 'dataset', name });
}

/** A picture of what the entity comes from and what comes from it, one level each way. Its cards are two lists. */
export function LineagePicture({ page, limit }: IPageProps & { limit: number }): React.JSX.Element {
  const { model, trans } = page;
  const { neighbours, entity } = useModel(model);
  const { upstream = [], downstream = [] } = neighbours ?? {};
  const type = entity?.type ?? '';
  const isProgram = type === 'dataJob';
  const Icon = getTypeIcon(type);
  const countCards = (side: readonly INeighbour[]): number =>
    Math.min(side.length, limit) + (side.length > limit ? 1 : 0);
  const [before, after] = [countCards(upstream), countCards(downstream)];
  const height = getColumnHeight(Math.max(before, after, 1));
  const getSide = (side: readonly INeighbour[]): { shown: readonly INeighbour[]; more: number } => ({
    shown: side.slice(0, limit),
    more: Math.max(0, side.length - limit)
  });
  return (
    <div className="jp-Colophon-lineagePicture">
      <Side page={page} title={isProgram ? trans.__('Reads') : trans.__('Comes from')} {...getSide(upstream)} />
      <Edges sources={before} targets={1} height={height} />
      <div className="jp-Colophon-lineageCard" data-type={type} aria-current="true">
        <Icon.react tag="span" width="16px" />
        <div>
          <b>{entity === null ? '' : getCentreName(entity)}</b>
        </div>
      </div>
      <Edges sources={1} targets={after} height={height} />
      <Side page={page} title={isProgram ? trans.__('Writes') : trans.__('Used by')} {...getSide(downstream)} />
    </div>
  );
}

/** What is shown instead of the lineage if no run has read or written anything. */
export function NoLineage({ page }: IPageProps): React.JSX.Element {
  const { model, trans } = page;
  const { entity } = useModel(model);
  return (
    <p className="jp-Colophon-note">
      {entity?.type === 'dataJob'
        ? trans.__('No run of this program has read or written data yet.')
        : trans.__('No run has read or written this data yet.')}
    </p>
  );
}

/** The lineage one level each way, with a link to the graph. */
export function LineagePreview({ page }: IPageProps): React.JSX.Element | null {
  const { model, actions, trans } = page;
  const { neighbours } = useModel(model);
  if (neighbours === null) {
    return null;
  }
  const isEmpty = neighbours.upstream.length + neighbours.downstream.length === 0;
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Lineage')}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Lineage')}</h2>
        {!isEmpty && (
          <button type="button" className="jp-Colophon-link" onClick={() => actions.openLineage(model.urn)}>
            {trans.__('Open the graph')}
          </button>
        )}
      </div>
      {isEmpty ? <NoLineage page={page} /> : <LineagePicture page={page} limit={MAX_SHOWN} />}
      {neighbours.isTruncated && (
        <p className="jp-Colophon-note">{trans.__('There is more; the graph shows all of it.')}</p>
      )}
    </section>
  );
}
