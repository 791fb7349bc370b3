import { editIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { FormEditor } from '../../model/editor';
import { OF_FIELDS } from '../../model/descriptions';
import { LongText } from '../pieces/long-text';
import { Name } from '../pieces/name';
import { TableRoom } from '../pieces/table-room';
import { TagList } from '../pieces/tags';
import { AspectForm } from './aspect-form';
import type { IColumn } from './columns';
import { OF_COLUMNS } from './said';

interface ITableProps {
  columns: readonly IColumn[];
  /** What is being edited on this page, of a column or of the table. */
  editor: FormEditor | null;
  mayEdit: boolean;
  open: (urn: string) => void;
  edit: (urn: string) => void;
  describe: (urn: string) => void;
  stopEditing: () => void;
  trans: TranslationBundle;
}

/** Which cells there are: what no column has takes no room. */
interface IShape {
  said: boolean;
  described: boolean;
}

function Said({ column, trans }: { column: IColumn; trans: TranslationBundle }): React.JSX.Element {
  const { path, tags, properties } = column;
  return (
    <div className="jp-Colophon-value-block">
      <TagList tags={tags.USER} label={trans.__('Tags of %1', path)} />
      <TagList tags={tags.SYSTEM} label={trans.__('Tags of %1 by machines', path)} byMachines />
      {properties.length > 0 && (
        <dl className="jp-Colophon-pairs" aria-label={trans.__('Properties of %1', path)}>
          {properties.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>
                <LongText text={value} trans={trans} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

type RowProps = Omit<ITableProps, 'columns' | 'editor'> & {
  column: IColumn;
  shape: IShape;
  /** The form for this column, while it is open. */
  editor: FormEditor | null;
  /** Whether some form is open: there is one at a time. */
  editing: boolean;
};

/** The button that opens a form of a column; it takes the keyboard back when that form closes. */
function EditButton(
  props: RowProps & { aspect: string; label: string; open: (urn: string) => void }
): React.JSX.Element {
  const { column, editor, editing, aspect, label, open } = props;
  const button = React.useRef<HTMLButtonElement>(null);
  const isOpen = editor?.spec.name === aspect;
  const wasOpen = React.useRef(false);
  React.useEffect(() => {
    // The form took the keyboard along when it closed.
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

function SaidCell(props: RowProps): React.JSX.Element {
  const { column, mayEdit, edit, trans } = props;
  return (
    <td className="jp-Colophon-told">
      <div className="jp-Colophon-said">
        <Said column={column} trans={trans} />
        {mayEdit && <EditButton {...props} aspect={OF_COLUMNS} label={trans.__('Edit: %1', column.path)} open={edit} />}
      </div>
    </td>
  );
}

function DescriptionCell(props: RowProps): React.JSX.Element {
  const { column, mayEdit, describe, trans } = props;
  return (
    <td className="jp-Colophon-told">
      <div className="jp-Colophon-said">
        <div className="jp-Colophon-value-block">
          <LongText text={column.description} trans={trans} />
        </div>
        {mayEdit && (
          <EditButton {...props} aspect={OF_FIELDS} label={trans.__('Describe %1', column.path)} open={describe} />
        )}
      </div>
    </td>
  );
}

function FormRow({ column, editor, stopEditing, span, trans }: RowProps & { span: number }): React.JSX.Element | null {
  return (
    editor && (
      <tr>
        <td colSpan={span}>
          <div className="jp-Colophon-inRow" role="group" aria-label={trans.__('Column %1', column.path)}>
            <AspectForm editor={editor} cancel={stopEditing} takesKeyboard trans={trans} />
          </div>
        </td>
      </tr>
    )
  );
}

/** A column; drawn again only when something of it is another. */
const Row = React.memo(function Row(props: RowProps): React.JSX.Element {
  const { column, shape, open, trans } = props;
  const { path, urn, type, nullable } = column;
  return (
    <>
      <tr data-column={path}>
        <th scope="row">
          {column.known ? (
            <button type="button" className="jp-Colophon-link" title={urn} onClick={() => open(urn)}>
              <Name text={path} />
            </button>
          ) : (
            <Name text={path} />
          )}
        </th>
        <td>
          {type === undefined ? (
            <span className="jp-Colophon-note">{trans.__('not in the schema')}</span>
          ) : (
            <code>{type}</code>
          )}
        </td>
        {shape.said && <SaidCell {...props} />}
        <td>{nullable === undefined ? '' : nullable ? trans.__('yes') : trans.__('no')}</td>
        {shape.described && <DescriptionCell {...props} />}
      </tr>
      <FormRow {...props} span={3 + Number(shape.said) + Number(shape.described)} />
    </>
  );
});

/** The columns of a dataset, each with what was said of it. */
export function SchemaTable(props: ITableProps): React.JSX.Element {
  const { columns, editor, trans, ...rest } = props;
  const described = props.mayEdit || columns.some(column => column.description !== '');
  const paired = columns.some(column => column.properties.length > 0);
  const tagged = columns.some(({ tags }) => tags.USER.length + tags.SYSTEM.length > 0);
  const said = props.mayEdit || paired || tagged;
  const shape = React.useMemo(() => ({ said, described }), [said, described]);
  return (
    <TableRoom label={trans.__('Columns')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Column')}</th>
          <th scope="col">{trans.__('Type')}</th>
          {said && <th scope="col">{paired ? trans.__('Tags and properties') : trans.__('Tags')}</th>}
          <th scope="col">{trans.__('May be empty')}</th>
          {described && <th scope="col">{trans.__('Description')}</th>}
        </tr>
      </thead>
      <tbody>
        {columns.map(column => (
          <Row
            key={column.path}
            {...rest}
            column={column}
            shape={shape}
            editor={editor?.urn === column.urn ? editor : null}
            editing={editor !== null}
            trans={trans}
          />
        ))}
      </tbody>
    </TableRoom>
  );
}
