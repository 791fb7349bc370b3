import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { IColumn } from './columns';
import { listColumns } from './columns';
import type { IEntityActions } from './index';
import type { EntityModel } from './model';
import { SchemaTable } from './schema-table';

/** Number of columns added at once. */
const PAGE = 200;

interface ISchemaProps {
  model: EntityModel;
  actions: IEntityActions;
  stopEditing: () => Promise<void>;
  /** Returns the title of an aspect. */
  getTitle: (aspect: string) => string;
  trans: TranslationBundle;
}

function useColumns(model: EntityModel): IColumn[] {
  const { entity, columns, editor } = useModel(model);
  const edited = editor?.urn;
  return React.useMemo(() => (entity ? listColumns(entity, columns, edited) : []), [entity, columns, edited]);
}

/** The columns of a dataset with their metadata. */
export function Schema({ model, actions, stopEditing, getTitle, trans }: ISchemaProps): React.JSX.Element | null {
  const { entity, columnsProblem, editor, mayEdit } = useModel(model);
  const columns = useColumns(model);
  const [limit, setLimit] = React.useState(PAGE);
  const context = React.useMemo(
    () => ({ getTitle, trans, open: (urn: string) => actions.openEntity(urn) }),
    [getTitle, trans, actions]
  );
  const edit = React.useCallback((urn: string) => void model.editColumn(urn), [model]);
  const describe = React.useCallback(
    (urn: string) => void model.describeColumn(urn, trans.__('Description')),
    [model, trans]
  );
  const stop = React.useCallback(() => void stopEditing(), [stopEditing]);
  if (entity?.type !== 'dataset') {
    return null;
  }
  const visible = columns.filter((column, at) => at < limit || column.urn === editor?.urn);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Schema')}>
      <h2>{trans.__('Schema')}</h2>
      {columnsProblem && <ProblemNote problem={columnsProblem} trans={trans} retry={() => void model.loadColumns()} />}
      {columns.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('No columns.')}</p>
      ) : (
        <SchemaTable
          columns={visible}
          editor={editor}
          mayEdit={mayEdit}
          context={context}
          edit={edit}
          describe={describe}
          stopEditing={stop}
        />
      )}
      {columns.length > limit && (
        <div className="jp-Colophon-actions">
          <button type="button" className="jp-Colophon-button" onClick={() => setLimit(limit + PAGE)}>
            {trans.__('More')}
          </button>
          <span className="jp-Colophon-note">
            {trans.__('%1 of %2 columns', limit.toLocaleString(), columns.length.toLocaleString())}
          </span>
        </div>
      )}
    </section>
  );
}
