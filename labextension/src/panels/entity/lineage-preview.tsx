import React from 'react';
import { useModel } from '../../components/use-model';
import { getTypeIcon } from '../../icons';
import type { INeighbour } from './neighbours';
import type { IPage, IPageProps } from './page';

/** Number of neighbours on a side before the rest is only counted. */
const MAX_SHOWN = 6;

function Neighbour({ page, neighbour }: IPageProps & { neighbour: INeighbour }): React.JSX.Element {
  const { actions, trans } = page;
  const { node, programs } = neighbour;
  const Icon = getTypeIcon(node.type);
  const [program] = programs;
  return (
    <li data-deleted={node.deleted || undefined}>
      <Icon.react tag="span" width="14px" />
      <div>
        <button
          type="button"
          className="jp-Colophon-link"
          title={node.urn}
          onClick={() => actions.openEntity(node.urn)}
        >
          {node.title ?? node.name}
        </button>
        {program && (
          <div className="jp-Colophon-through">
            {trans.__('through')}{' '}
            <button
              type="button"
              className="jp-Colophon-link"
              title={program.urn}
              onClick={() => actions.openEntity(program.urn)}
            >
              {program.title ?? program.name}
            </button>
            {programs.length > 1 && ` ${trans.__('and %1 more', programs.length - 1)}`}
          </div>
        )}
      </div>
    </li>
  );
}

function Side(props: {
  page: IPage;
  title: string;
  neighbours: readonly INeighbour[];
  limit: number;
}): React.JSX.Element {
  const { page, title, neighbours, limit } = props;
  const { model, actions, trans } = page;
  return (
    <div className="jp-Colophon-lineageSide">
      <h3>{title}</h3>
      {neighbours.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('None.')}</p>
      ) : (
        <ul aria-label={title}>
          {neighbours.slice(0, limit).map(neighbour => (
            <Neighbour key={neighbour.node.urn} page={page} neighbour={neighbour} />
          ))}
        </ul>
      )}
      {neighbours.length > limit && (
        <button type="button" className="jp-Colophon-link" onClick={() => actions.openLineage(model.urn)}>
          {trans.__('and %1 more', neighbours.length - limit)}
        </button>
      )}
    </div>
  );
}

/** What the entity comes from and what comes from it: one level each way. */
export function LineagePreview({ page, limit = MAX_SHOWN }: IPageProps & { limit?: number }): React.JSX.Element | null {
  const { model, actions, trans } = page;
  const { neighbours, entity } = useModel(model);
  if (neighbours === null) {
    return null;
  }
  const isProgram = entity?.type === 'dataJob';
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Lineage')}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Lineage')}</h2>
        <button type="button" className="jp-Colophon-link" onClick={() => actions.openLineage(model.urn)}>
          {trans.__('Open the graph')}
        </button>
      </div>
      <div className="jp-Colophon-lineagePreview">
        <Side
          page={page}
          title={isProgram ? trans.__('Reads') : trans.__('Comes from')}
          neighbours={neighbours.upstream}
          limit={limit}
        />
        <span className="jp-Colophon-lineageArrow" aria-hidden="true">
          →
        </span>
        <Side
          page={page}
          title={isProgram ? trans.__('Writes') : trans.__('Used by')}
          neighbours={neighbours.downstream}
          limit={limit}
        />
      </div>
      {neighbours.isTruncated && (
        <p className="jp-Colophon-note">{trans.__('There is more; the graph shows all of it.')}</p>
      )}
    </section>
  );
}
