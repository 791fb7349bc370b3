import { ellipsesIcon, lockIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSummary } from '../../generated/api';
import type { ISchemaspaceActions } from './actions';
import type { Space } from './model';

interface IRowProps {
  /** Undefined while it is being loaded. */
  row: InstanceSummary | undefined;
  index: number;
  height: number;
  /** Whether the row is the tab stop of the grid. */
  isTabStop: boolean;
  space: Space;
  actions: ISchemaspaceActions;
  trans: TranslationBundle;
}

/** Returns the label of the reason why an instance is invalid. */
function getReasonLabel(reason: string, trans: TranslationBundle): string {
  switch (reason) {
    case 'ValidationError':
      return trans.__('does not match its schema');
    case 'ValueError':
      return trans.__('unreadable');
    case 'SchemaNotFoundError':
      return trans.__('schema not found');
    default:
      return reason;
  }
}

/** Returns the first error of an instance, else the label of its reason. */
function describeProblem(row: InstanceSummary, trans: TranslationBundle): string {
  return trans.__('Invalid: %1', row.problem === '' ? getReasonLabel(row.reason, trans) : row.problem);
}

/** Lists the schema of an instance, if its schemaspace has several, and its language. */
function listKinds(row: InstanceSummary, space: Space): string[] {
  const title = space.schemas.find(schema => schema.name === row.schema_name)?.title;
  return [space.schemas.length > 1 ? title : undefined, row.language].filter(word => typeof word === 'string');
}

/** The second line of a row: schema, language and description, or the error. */
function Line({ row, space, trans }: Pick<IRowProps, 'space' | 'trans'> & { row: InstanceSummary }): React.JSX.Element {
  return row.valid ? (
    <span className="jp-Colophon-description">
      {[...listKinds(row, space), row.description].filter(word => word !== '').join(' · ')}
    </span>
  ) : (
    <span className="jp-Colophon-invalid">{describeProblem(row, trans)}</span>
  );
}

function ActionCell(props: {
  label: string;
  icon: typeof pasteIcon;
  onClick: (event: React.MouseEvent<HTMLButtonElement>) => void;
}): React.JSX.Element {
  return (
    <div role="gridcell">
      <button
        type="button"
        className="jp-Colophon-tool"
        tabIndex={-1}
        title={props.label}
        aria-label={props.label}
        onClick={event => props.onClick(event)}
      >
        <props.icon.react tag="span" />
      </button>
    </div>
  );
}

/** Opens the context menu of a row at its button. */
function openMenu({ currentTarget }: React.MouseEvent<HTMLButtonElement>): void {
  const { left, bottom } = currentTarget.getBoundingClientRect();
  currentTarget.dispatchEvent(
    new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: left, clientY: bottom })
  );
}

/** A row of the grid: one instance. */
export function Row(props: IRowProps): React.JSX.Element {
  const { row, index, height, isTabStop, space, actions, trans } = props;
  const position = { 'data-at': index, 'aria-rowindex': index + 1, style: { top: index * height, height } };
  if (row === undefined) {
    return (
      <div role="row" className="jp-Colophon-row" aria-busy={true} {...position}>
        <div role="gridcell" className="jp-Colophon-rowMain">
          {trans.__('Loading…')}
        </div>
      </div>
    );
  }
  const isSnippet = row.language !== null && row.valid;
  const { insert } = actions;
  const drag = (event: React.DragEvent): void => {
    const code = actions.getCachedCode(space.name, row);
    if (code === null) {
      event.preventDefault();
      return;
    }
    event.dataTransfer.setData('text/plain', code);
    event.dataTransfer.effectAllowed = 'copy';
  };
  return (
    <div
      role="row"
      className="jp-Colophon-row"
      data-name={row.name}
      data-valid={row.valid}
      data-language={row.language ?? undefined}
      draggable={isSnippet}
      onPointerDown={isSnippet ? () => actions.fetchCode(space.name, row) : undefined}
      onDragStart={isSnippet ? drag : undefined}
      {...position}
    >
      <div role="gridcell" className="jp-Colophon-rowMain">
        <button
          type="button"
          className="jp-Colophon-item jp-Colophon-rowButton"
          tabIndex={isTabStop ? 0 : -1}
          title={row.valid ? row.description : describeProblem(row, trans)}
          onClick={() => actions.edit(space.name, row)}
        >
          <span className="jp-Colophon-rowName">
            <span className="jp-Colophon-name">{row.display_name === '' ? row.name : row.display_name}</span>
            {!row.deletable && (
              <lockIcon.react
                tag="span"
                className="jp-Colophon-lock"
                title={trans.__('Shared: can be changed, but not deleted')}
              />
            )}
          </span>
          <Line row={row} space={space} trans={trans} />
        </button>
      </div>
      {isSnippet && insert !== null && (
        <ActionCell
          icon={pasteIcon}
          label={trans.__('Insert %1', row.display_name)}
          onClick={() => insert(space.name, row)}
        />
      )}
      <ActionCell icon={ellipsesIcon} label={trans.__('More actions for %1', row.display_name)} onClick={openMenu} />
    </div>
  );
}
