import React from 'react';
import { formatTime } from '../../../components/labels';
import { ProblemNote } from '../../../components/problem';
import { useModel } from '../../../components/use-model';
import { ColumnsTable } from './columns-table';
import type { ColumnOrder, IColumn } from './columns';
import { arrangeColumns, listColumns } from './columns';
import type { IPageProps } from '../page';
import type { IColumnStatistics } from './profile';

/** Returns the columns of the entity, also an edited one that is not in the schema. */
function useColumns({ page }: IPageProps): readonly IColumn[] {
  const { entity, columns, editor } = useModel(page.model);
  const edited = editor?.urn;
  return React.useMemo(() => (entity ? listColumns(entity, columns, edited) : []), [entity, columns, edited]);
}

/** The time of the statistics, and how the rows were selected. */
function ProfileNote({ page }: IPageProps): React.JSX.Element | null {
  const { trans } = page;
  const { profile } = useModel(page.model);
  if (!profile) {
    return null;
  }
  const { partition, time } = profile;
  return (
    <span className="jp-Colophon-note">
      {partition === undefined
        ? trans.__('Statistics as of %1', formatTime(time))
        : trans.__('Statistics of a sample (%1) as of %2', partition, formatTime(time))}
    </span>
  );
}

/** The columns of a dataset: searched, sorted, described and tagged in place. */
export function ColumnsTab({ page }: IPageProps): React.JSX.Element {
  const { model, actions, getTitle, trans } = page;
  const { columnsProblem, profile, profileProblem, mayEdit } = useModel(model);
  const columns = useColumns({ page });
  const [text, setText] = React.useState('');
  const [order, setOrder] = React.useState<ColumnOrder>('schema');
  const [hasStatistics, setHasStatistics] = React.useState(false);
  const context = React.useMemo(
    () => ({ getTitle, trans, open: (urn: string) => actions.openEntity(urn) }),
    [getTitle, trans, actions]
  );
  const statistics = React.useMemo(
    () => new Map<string, IColumnStatistics>(profile?.columns.map(column => [column.path, column])),
    [profile]
  );
  const shown = React.useMemo(
    () => arrangeColumns(columns, text, order, path => statistics.get(path)?.nullShare ?? -1),
    [columns, text, order, statistics]
  );
  const figures = [...statistics.values()];
  const tags = mayEdit || columns.some(({ labels, properties }) => labels.length + properties.length > 0);
  const descriptions = mayEdit || columns.some(column => column.descriptions.length > 0);
  const nulls = figures.some(column => column.nulls !== undefined || column.nullShare !== undefined);
  const distributions = figures.some(column => column.spread ?? column.histogram);
  const shape = React.useMemo(
    () => ({ tags, descriptions, nulls, distributions, statistics: hasStatistics }),
    [tags, descriptions, nulls, distributions, hasStatistics]
  );
  return (
    <section aria-label={trans.__('Columns')}>
      <div className="jp-Colophon-columnsBar">
        <input
          type="search"
          aria-label={trans.__('Search columns')}
          placeholder={trans.__('Search columns')}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <span className="jp-Colophon-note" role="status">
          {shown.length === columns.length
            ? trans._n('%1 column', '%1 columns', columns.length)
            : trans.__('%1 of %2 columns', shown.length.toLocaleString(), columns.length.toLocaleString())}
        </span>
        {figures.length > 0 && (
          <button
            type="button"
            className="jp-Colophon-button"
            aria-pressed={hasStatistics}
            onClick={() => setHasStatistics(!hasStatistics)}
          >
            {trans.__('Statistics')}
          </button>
        )}
        <ProfileNote page={page} />
      </div>
      {profileProblem && <ProblemNote problem={profileProblem} trans={trans} />}
      {columnsProblem && <ProblemNote problem={columnsProblem} trans={trans} retry={() => void model.loadColumns()} />}
      {columns.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('No columns.')}</p>
      ) : (
        <ColumnsTable
          page={page}
          columns={shown}
          statistics={statistics}
          shape={shape}
          order={order}
          setOrder={setOrder}
          context={context}
        />
      )}
    </section>
  );
}
