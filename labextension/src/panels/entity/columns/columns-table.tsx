import { deleteIcon, editIcon, ellipsesIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { BreakableName } from '../../../components/breakable-name';
import { Menu } from '../../../components/menu';
import { useTagDrop } from '../../../components/tag-drag';
import { useModel } from '../../../components/use-model';
import { usePulse } from '../../../components/use-pulse';
import { lineageIcon } from '../../../icons';
import { COLUMN_DESCRIPTIONS } from '../../../model/editing/descriptions';
import type { FormEditor } from '../../../model/editing/editor';
import { getVisibleRows } from '../../../model/virtual-rows';
import { AspectForm } from '../metadata/aspect-form';
import { Distribution, Mean, Nulls } from './column-figures';
import type { ColumnOrder, IColumn } from './columns';
import type { IDescriptorContext } from '../metadata/descriptors';
import { DescriptorList, DescriptorName, formatValueSource } from '../metadata/descriptors';
import { EditableText } from '../metadata/editable-text';
import type { IPage, IPageProps } from '../page';
import { startChange } from '../page';
import type { IColumnStatistics } from './profile';
import { removeColumn, renameColumn } from './schema-edits';
import { TagRow, withTag } from '../metadata/tag-row';
import { USER_ASPECT, withTags } from '../metadata/user-metadata';

/** With more columns, all rows have the same height, and only the visible ones are rendered. */
const MAX_RENDERED = 150;
const ROW_HEIGHT = 34;

/** Which optional cells the table has. */
export interface IShape {
  tags: boolean;
  descriptions: boolean;
  nulls: boolean;
  distributions: boolean;
  /** Distinct values, minimum, maximum and mean. */
  statistics: boolean;
}

interface IRowProps {
  page: IPage;
  column: IColumn;
  statistics: IColumnStatistics | undefined;
  shape: IShape;
  /** The open editor of this column, if any, and the location of the text that is edited in place. */
  editor: FormEditor | null;
  field: string | null;
  mayEdit: boolean;
  /** Whether the user may change the schema. */
  mayRecord: boolean;
  context: IDescriptorContext;
  rowIndex: number;
}

function Name({ column, context }: Pick<IRowProps, 'column' | 'context'>): React.JSX.Element {
  const { path, urn, hasPage, isKey } = column;
  const { open, trans } = context;
  return (
    <th scope="row" title={path}>
      {hasPage ? (
        <button type="button" className="jp-Colophon-link" title={urn} onClick={() => open(urn)}>
          <BreakableName text={path} />
        </button>
      ) : (
        <BreakableName text={path} />
      )}
      {isKey && <span className="jp-Colophon-scope">{trans.__('key')}</span>}
    </th>
  );
}

function Type({ column, context }: Pick<IRowProps, 'column' | 'context'>): React.JSX.Element {
  const { type, nullable } = column;
  const { trans } = context;
  return (
    <td className="jp-Colophon-typeCell">
      {type === undefined ? (
        <span className="jp-Colophon-note">{trans.__('not in the schema')}</span>
      ) : (
        <code>{type}</code>
      )}
      {nullable === false && <span className="jp-Colophon-note"> {trans.__('not null')}</span>}
    </td>
  );
}

function TagsCell({ page, column, context, mayEdit }: IRowProps): React.JSX.Element {
  const { path, urn, labels, properties } = column;
  const { model, trans } = page;
  return (
    <td className="jp-Colophon-tagsCell">
      <TagRow
        page={page}
        values={labels}
        label={trans.__('Tags and terms of %1', path)}
        target={path}
        canEdit={mayEdit}
        change={apply => void startChange(page, () => model.changeColumn(urn, withTags(apply)))}
        context={context}
      />
      <DescriptorList values={properties} label={trans.__('Properties of %1', path)} context={context} />
    </td>
  );
}

function DescriptionCell({ page, column, context, editor, field, mayEdit }: IRowProps): React.JSX.Element {
  const { path, urn, descriptions } = column;
  const { model, trans } = page;
  const byUsers = descriptions.find(({ sources }) => sources.some(({ scope }) => scope === 'USER'));
  const aspect = byUsers?.sources.find(({ scope }) => scope === 'USER')?.aspect ?? COLUMN_DESCRIPTIONS;
  const isEditable = aspect === COLUMN_DESCRIPTIONS || aspect === USER_ASPECT;
  const isOpen = field !== null && field !== '';
  return (
    <td className="jp-Colophon-text-cell">
      <EditableText
        page={page}
        editor={isOpen ? editor : null}
        pointer={field ?? ''}
        open={() => void model.describeColumn(urn, trans.__('Description'), aspect)}
        label={trans.__('Description of %1', path)}
        text={byUsers?.name ?? ''}
        prompt={trans.__('Describe')}
        canEdit={mayEdit && isEditable}
      />
      {descriptions
        .filter(value => value !== byUsers)
        .map(value => (
          <div key={value.name} className="jp-Colophon-note" title={formatValueSource(value, context)}>
            <DescriptorName value={value} context={context} />
          </div>
        ))}
    </td>
  );
}

/** Why the values of a column are not shown. */
function Withheld({ context }: Pick<IRowProps, 'context'>): React.JSX.Element {
  const { trans } = context;
  return (
    <span className="jp-Colophon-note" title={trans.__('The column or its table is marked confidential.')}>
      {trans.__('not shown: confidential')}
    </span>
  );
}

function DistributionCell({ statistics, context }: Pick<IRowProps, 'statistics' | 'context'>): React.JSX.Element {
  return (
    <td>
      {statistics?.isWithheld === true ? (
        <Withheld context={context} />
      ) : (
        statistics && <Distribution column={statistics} trans={context.trans} />
      )}
    </td>
  );
}

function StatisticsCells({ statistics, context }: Pick<IRowProps, 'statistics' | 'context'>): React.JSX.Element {
  const distinct = <td className="jp-Colophon-number">{statistics?.distinct?.toLocaleString()}</td>;
  if (statistics?.isWithheld === true) {
    return (
      <>
        {distinct}
        <td colSpan={3}>
          <Withheld context={context} />
        </td>
      </>
    );
  }
  return (
    <>
      {distinct}
      <td className="jp-Colophon-text-cell">{statistics?.min}</td>
      <td className="jp-Colophon-text-cell">{statistics?.max}</td>
      <td className="jp-Colophon-number">{statistics && <Mean column={statistics} trans={context.trans} />}</td>
    </>
  );
}

/** The button that opens the form of all user metadata of a column; it gets the focus back when the form closes. */
function FormButton({ page, column, isOpen }: { page: IPage; column: IColumn; isOpen: boolean }): React.JSX.Element {
  const { model, trans } = page;
  const button = React.useRef<HTMLButtonElement>(null);
  const wasOpen = React.useRef(false);
  React.useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) {
      button.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  const label = trans.__('Edit: %1', column.path);
  return (
    <button
      ref={button}
      type="button"
      className="jp-Colophon-tool"
      title={trans.__('Tags and properties of %1', column.path)}
      aria-label={label}
      onClick={() => void startChange(page, () => model.editColumn(column.urn))}
    >
      <editIcon.react tag="span" width="14px" />
    </button>
  );
}

/** A button that shows what depends on a column. */
function ImpactButton({ page, column }: { page: IPage; column: IColumn }): React.JSX.Element {
  const { actions, trans } = page;
  return (
    <button
      type="button"
      className="jp-Colophon-tool"
      title={trans.__('What depends on %1', column.path)}
      aria-label={trans.__('Impact: %1', column.path)}
      onClick={() => void actions.showImpact(column.urn)}
    >
      <lineageIcon.react tag="span" width="14px" />
    </button>
  );
}

/** A menu that renames a column in the schema or removes it, after it shows what depends on it. */
function SchemaMenu({ page, column }: { page: IPage; column: IColumn }): React.JSX.Element {
  const { model, actions, trans } = page;
  const { path, urn } = column;
  const rename = async (): Promise<void> => {
    const name = await actions.askForColumnName(urn, path);
    if (name !== null) {
      await startChange(page, () => model.changeSchema(schema => renameColumn(schema, path, name)));
    }
  };
  const remove = async (): Promise<void> => {
    if (await actions.confirmColumnRemoval(urn)) {
      await startChange(page, () => model.changeSchema(schema => removeColumn(schema, path)));
    }
  };
  return (
    <Menu
      label={trans.__('Change the schema: %1', path)}
      icon={ellipsesIcon}
      isTool
      items={[
        { label: trans.__('Rename…'), icon: editIcon, run: () => void rename() },
        { label: trans.__('Remove from the schema…'), icon: deleteIcon, run: () => void remove() }
      ]}
    />
  );
}

function ToolsCell(props: IRowProps & { hasForm: boolean }): React.JSX.Element {
  const { page, column, mayEdit, mayRecord, hasForm } = props;
  return (
    <td className="jp-Colophon-rowTool">
      <ImpactButton page={page} column={column} />
      {mayEdit && <FormButton page={page} column={column} isOpen={hasForm} />}
      {mayRecord && column.isEditable && <SchemaMenu page={page} column={column} />}
    </td>
  );
}

function countCells({ tags, descriptions, nulls, distributions, statistics }: IShape): number {
  return 3 + [tags, descriptions, nulls, distributions].filter(Boolean).length + (statistics ? 4 : 0);
}

/** Returns the metadata of a column as text: the row pulses when it changes. */
function describeColumn({ type, labels, properties, descriptions }: IColumn): string {
  const texts = [...labels, ...properties, ...descriptions].map(({ key, name }) => [key, name]);
  return JSON.stringify([type, texts]);
}

/** A column; only rendered again if one of its properties has changed. */
const Row = React.memo(function Row(props: IRowProps): React.JSX.Element {
  const { page, column, statistics, shape, editor, field, mayEdit, context, rowIndex } = props;
  const { trans } = context;
  const hasForm = editor !== null && field === null;
  const pulse = usePulse<HTMLTableRowElement>(describeColumn(column));
  const addTag = (tag: string): void =>
    void startChange(page, () => page.model.changeColumn(column.urn, withTags(withTag(tag))));
  const drop = useTagDrop(mayEdit ? addTag : null);
  return (
    <>
      <tr data-column={column.path} aria-rowindex={rowIndex} ref={pulse} {...drop}>
        <Name column={column} context={context} />
        <Type column={column} context={context} />
        {shape.tags && <TagsCell {...props} />}
        {shape.descriptions && <DescriptionCell {...props} />}
        {shape.nulls && <td>{statistics && <Nulls column={statistics} trans={trans} />}</td>}
        {shape.distributions && <DistributionCell statistics={statistics} context={context} />}
        {shape.statistics && <StatisticsCells statistics={statistics} context={context} />}
        <ToolsCell {...props} hasForm={hasForm} />
      </tr>
      {hasForm && (
        <tr>
          <td colSpan={countCells(shape)}>
            <div className="jp-Colophon-inRow" role="group" aria-label={trans.__('Column %1', column.path)}>
              <AspectForm editor={editor} cancel={() => void page.stopEditing()} takesKeyboard trans={trans} />
            </div>
          </td>
        </tr>
      )}
    </>
  );
});

function Header(props: {
  shape: IShape;
  order: ColumnOrder;
  setOrder: (order: ColumnOrder) => void;
  page: IPage;
}): React.JSX.Element {
  const { shape, order, setOrder, page } = props;
  const { trans } = page;
  const sortable = (column: ColumnOrder, label: string): React.JSX.Element => (
    <th scope="col" aria-sort={order === column ? (column === 'nulls' ? 'descending' : 'ascending') : 'none'}>
      <button
        type="button"
        className="jp-Colophon-columnSort"
        title={trans.__('Sort by %1', label)}
        onClick={() => setOrder(order === column ? 'schema' : column)}
      >
        {label} <span aria-hidden="true">{order === column ? (column === 'nulls' ? '↓' : '↑') : ''}</span>
      </button>
    </th>
  );
  return (
    <thead>
      <tr>
        {sortable('name', trans.__('Column'))}
        {sortable('type', trans.__('Type'))}
        {shape.tags && <th scope="col">{trans.__('Tags')}</th>}
        {shape.descriptions && <th scope="col">{trans.__('Description')}</th>}
        {shape.nulls && sortable('nulls', trans.__('Null'))}
        {shape.distributions && <th scope="col">{trans.__('Distribution')}</th>}
        {shape.statistics && (
          <>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Distinct (approx.)')}
            </th>
            <th scope="col">{trans.__('Minimum')}</th>
            <th scope="col">{trans.__('Maximum')}</th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Mean')}
            </th>
          </>
        )}
        <th scope="col">
          <span className="jp-Colophon-visually-hidden">{trans.__('Actions')}</span>
        </th>
      </tr>
    </thead>
  );
}

/** The columns of a dataset, each with its metadata and figures. */
export function ColumnsTable(
  props: IPageProps & {
    columns: readonly IColumn[];
    statistics: ReadonlyMap<string, IColumnStatistics>;
    shape: IShape;
    order: ColumnOrder;
    setOrder: (order: ColumnOrder) => void;
    context: IDescriptorContext;
  }
): React.JSX.Element {
  const { page, columns, statistics, shape, order, setOrder, context } = props;
  const { trans } = page;
  const { editor, field, mayEdit, mayRecord } = useModel(page.model);
  const [scroll, setScroll] = React.useState({ top: 0, height: 0 });
  const box = React.useRef<HTMLDivElement>(null);
  const isVirtual = columns.length > MAX_RENDERED;
  const measure = (): void => setScroll({ top: box.current?.scrollTop ?? 0, height: box.current?.clientHeight ?? 0 });
  React.useEffect(measure, [isVirtual]);
  const [first, end] = isVirtual ? getVisibleRows({ ...scroll, rowHeight: ROW_HEIGHT }, columns.length) : [0, Infinity];
  const after = Math.max(columns.length - end, 0);
  return (
    <div
      className="jp-Colophon-scrollable jp-Colophon-columns"
      data-virtual={isVirtual}
      role="group"
      aria-label={trans.__('Columns')}
      tabIndex={0}
      ref={box}
      onScroll={isVirtual ? measure : undefined}
    >
      <table className="jp-Colophon-table" aria-label={trans.__('Columns')} aria-rowcount={columns.length + 1}>
        <Header shape={shape} order={order} setOrder={setOrder} page={page} />
        <tbody>
          {first > 0 && <tr aria-hidden="true" style={{ height: first * ROW_HEIGHT }} />}
          {columns.slice(first, end).map((column, index) => (
            <Row
              key={column.path}
              page={page}
              column={column}
              statistics={statistics.get(column.path)}
              shape={shape}
              editor={editor?.urn === column.urn ? editor : null}
              field={editor?.urn === column.urn ? field : null}
              mayEdit={mayEdit}
              mayRecord={mayRecord}
              context={context}
              rowIndex={first + index + 2}
            />
          ))}
          {after > 0 && <tr aria-hidden="true" style={{ height: after * ROW_HEIGHT }} />}
        </tbody>
      </table>
    </div>
  );
}
