import { editIcon } from '@jupyterlab/ui-components';
import React from 'react';
import type { FormEditor } from '../../model/editor';
import { COLUMN_DESCRIPTIONS } from '../../model/descriptions';
import { BreakableName } from '../../components/breakable-name';
import { ScrollableTable } from '../../components/scrollable-table';
import { AspectForm } from './aspect-form';
import { COLUMN_ASPECT } from './column-metadata';
import type { IColumn } from './columns';
import type { IDescriptorContext } from './descriptors';
import { DescriptorChips, DescriptorList, DescriptorName, SourceBadge } from './descriptors';

interface ITableProps {
  columns: readonly IColumn[];
  /** The open editor of the page, for a column or the table. */
  editor: FormEditor | null;
  mayEdit: boolean;
  context: IDescriptorContext;
  edit: (urn: string) => void;
  describe: (urn: string) => void;
  stopEditing: () => void;
}

/** Which optional cells the table has: cells that are empty in all rows are omitted. */
interface IShape {
  annotations: boolean;
  descriptions: boolean;
}

function Annotations({ column, context }: { column: IColumn; context: IDescriptorContext }): React.JSX.Element {
  const { path, labels, properties } = column;
  const { trans } = context;
  return (
    <div className="jp-Colophon-value-block">
      <DescriptorChips values={labels} label={trans.__('Tags and terms of %1', path)} context={context} />
      <DescriptorList values={properties} label={trans.__('Properties of %1', path)} context={context} />
    </div>
  );
}

type RowProps = Omit<ITableProps, 'columns' | 'editor'> & {
  column: IColumn;
  shape: IShape;
  /** The open form of this column, if any. */
  editor: FormEditor | null;
  /** Whether any form is open: there is one at a time. */
  editing: boolean;
};

/** The button that opens a form of a column; it gets the focus back when the form closes. */
function EditButton(
  props: RowProps & { aspect: string; label: string; open: (urn: string) => void }
): React.JSX.Element {
  const { column, editor, editing, aspect, label, open } = props;
  const button = React.useRef<HTMLButtonElement>(null);
  const isOpen = editor?.spec.name === aspect;
  const wasOpen = React.useRef(false);
  React.useEffect(() => {
    // The focus was lost with the form.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) {
      button.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <button
      ref={button}
      type="button"
      className="jp-Colophon-tool"
      disabled={editing}
      title={label}
      aria-label={label}
      onClick={() => open(column.urn)}
    >
      <editIcon.react tag="span" />
    </button>
  );
}

function AnnotationsCell(props: RowProps): React.JSX.Element {
  const { column, context, mayEdit, edit } = props;
  const label = context.trans.__('Edit: %1', column.path);
  return (
    <td className="jp-Colophon-text-cell">
      <div className="jp-Colophon-cell-with-tool">
        <Annotations column={column} context={context} />
        {mayEdit && <EditButton {...props} aspect={COLUMN_ASPECT} label={label} open={edit} />}
      </div>
    </td>
  );
}

function DescriptionCell(props: RowProps): React.JSX.Element {
  const { column, context, mayEdit, describe } = props;
  const label = context.trans.__('Describe %1', column.path);
  return (
    <td className="jp-Colophon-text-cell">
      <div className="jp-Colophon-cell-with-tool">
        <div className="jp-Colophon-value-block">
          {column.descriptions.map(value => (
            <div key={value.name}>
              <DescriptorName value={value} context={context} /> <SourceBadge value={value} context={context} />
            </div>
          ))}
        </div>
        {mayEdit && <EditButton {...props} aspect={COLUMN_DESCRIPTIONS} label={label} open={describe} />}
      </div>
    </td>
  );
}

function FormRow(props: RowProps & { columnCount: number }): React.JSX.Element | null {
  const { column, editor, stopEditing, columnCount } = props;
  const { trans } = props.context;
  return (
    editor && (
      <tr>
        <td colSpan={columnCount}>
          <div className="jp-Colophon-inRow" role="group" aria-label={trans.__('Column %1', column.path)}>
            <AspectForm editor={editor} cancel={stopEditing} takesKeyboard trans={trans} />
          </div>
        </td>
      </tr>
    )
  );
}

/** A column; only rendered again if one of its properties has changed. */
const Row = React.memo(function Row(props: RowProps): React.JSX.Element {
  const { column, shape, context } = props;
  const { path, urn, type, nullable } = column;
  const { open, trans } = context;
  return (
    <>
      <tr data-column={path}>
        <th scope="row">
          {column.hasPage ? (
            <button type="button" className="jp-Colophon-link" title={urn} onClick={() => open(urn)}>
              <BreakableName text={path} />
            </button>
          ) : (
            <BreakableName text={path} />
          )}
        </th>
        <td>
          {type === undefined ? (
            <span className="jp-Colophon-note">{trans.__('not in the schema')}</span>
          ) : (
            <code>{type}</code>
          )}
        </td>
        {shape.annotations && <AnnotationsCell {...props} />}
        <td>{nullable === undefined ? '' : nullable ? trans.__('yes') : trans.__('no')}</td>
        {shape.descriptions && <DescriptionCell {...props} />}
      </tr>
      <FormRow {...props} columnCount={3 + Number(shape.annotations) + Number(shape.descriptions)} />
    </>
  );
});

/** The columns of a dataset, each with its metadata. */
export function SchemaTable(props: ITableProps): React.JSX.Element {
  const { columns, editor, ...rowProps } = props;
  const { trans } = props.context;
  const descriptions = props.mayEdit || columns.some(column => column.descriptions.length > 0);
  const hasProperties = columns.some(column => column.properties.length > 0);
  const annotations = props.mayEdit || hasProperties || columns.some(column => column.labels.length > 0);
  const shape = React.useMemo(() => ({ annotations, descriptions }), [annotations, descriptions]);
  return (
    <ScrollableTable label={trans.__('Columns')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Column')}</th>
          <th scope="col">{trans.__('Type')}</th>
          {annotations && <th scope="col">{hasProperties ? trans.__('Tags and properties') : trans.__('Tags')}</th>}
          <th scope="col">{trans.__('Nullable')}</th>
          {descriptions && <th scope="col">{trans.__('Description')}</th>}
        </tr>
      </thead>
      <tbody>
        {columns.map(column => (
          <Row
            key={column.path}
            {...rowProps}
            column={column}
            shape={shape}
            editor={editor?.urn === column.urn ? editor : null}
            editing={editor !== null}
          />
        ))}
      </tbody>
    </ScrollableTable>
  );
}
