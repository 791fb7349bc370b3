import { ellipsesIcon, lockIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSummary } from '../../generated/api';
import type { ISchemaspaceActions } from './actions';
import type { Space } from './model';

interface IRowProps {
  /** Undefined while it is fetched. */
  row: InstanceSummary | undefined;
  index: number;
  height: number;
  /** Whether Tab leads to this one of all rows. */
  reachable: boolean;
  space: Space;
  actions: ISchemaspaceActions;
  trans: TranslationBundle;
}

/** Why an instance is not valid, in a few words. */
function reasonWords(reason: string, trans: TranslationBundle): string {
  switch (reason) {
    case 'ValidationError':
      return trans.__('does not satisfy its schema');
    case 'ValueError':
      return trans.__('cannot be read');
    case 'SchemaNotFoundError':
      return trans.__('its schema is not known');
    default:
      return reason;
  }
}

/** What is wrong with an instance: the first of it in a sentence, or its kind. */
function wrong(row: InstanceSummary, trans: TranslationBundle): string {
  return trans.__('Not valid: %1', row.problem === '' ? reasonWords(row.reason, trans) : row.problem);
}

/** Of which kind an instance is, where its schemaspace has several, and its language. */
function kinds(row: InstanceSummary, space: Space): string[] {
  const title = space.schemas.find(schema => schema.name === row.schema_name)?.title;
  return [space.schemas.length > 1 ? title : undefined, row.language].filter(word => typeof word === 'string');
}

/** The second line: what an instance is and says of itself, or what is wrong with it. */
function Line({ row, space, trans }: Pick<IRowProps, 'space' | 'trans'> & { row: InstanceSummary }): React.JSX.Element {
  return row.valid ? (
    <span className="jp-Colophon-description">
      {[...kinds(row, space), row.description].filter(word => word !== '').join(' · ')}
    </span>
  ) : (
    <span className="jp-Colophon-wrong">{wrong(row, trans)}</span>
  );
}

function Cell(props: {
  label: string;
  icon: typeof pasteIcon;
  act: (event: React.MouseEvent<HTMLButtonElement>) => void;
}): React.JSX.Element {
  return (
    <div role="gridcell">
      <button
        type="button"
        className="jp-Colophon-tool"
        tabIndex={-1}
        title={props.label}
        aria-label={props.label}
        onClick={event => props.act(event)}
      >
        <props.icon.react tag="span" />
      </button>
    </div>
  );
}

/** Opens the context menu of a row at the button that was pressed. */
function openMenu({ currentTarget }: React.MouseEvent<HTMLButtonElement>): void {
  const { left, bottom } = currentTarget.getBoundingClientRect();
  currentTarget.dispatchEvent(
    new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: left, clientY: bottom })
  );
}

/** One instance of a list. */
export function Row(props: IRowProps): React.JSX.Element {
  const { row, index, height, reachable, space, actions, trans } = props;
  const place = { 'data-at': index, 'aria-rowindex': index + 1, style: { top: index * height, height } };
  if (row === undefined) {
    return (
      <div role="row" className="jp-Colophon-row" aria-busy={true} {...place}>
        <div role="gridcell" className="jp-Colophon-rowMain">
          {trans.__('Loading…')}
        </div>
      </div>
    );
  }
  const snippet = row.language !== null && row.valid;
  const drag = (event: React.DragEvent): void => {
    const code = actions.codeAtHand(space.name, row);
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
      draggable={snippet}
      onPointerDown={snippet ? () => actions.fetchCode(space.name, row) : undefined}
      onDragStart={snippet ? drag : undefined}
      {...place}
    >
      <div role="gridcell" className="jp-Colophon-rowMain">
        <button
          type="button"
          className="jp-Colophon-item jp-Colophon-rowButton"
          tabIndex={reachable ? 0 : -1}
          title={row.valid ? row.description : wrong(row, trans)}
          onClick={() => actions.edit(space.name, row)}
        >
          <span className="jp-Colophon-rowName">
            <span className="jp-Colophon-name">{row.display_name === '' ? row.name : row.display_name}</span>
            {!row.deletable && (
              <lockIcon.react
                tag="span"
                className="jp-Colophon-lock"
                title={trans.__('Shared: it can be changed, not removed')}
              />
            )}
          </span>
          <Line row={row} space={space} trans={trans} />
        </button>
      </div>
      {snippet && (
        <Cell
          icon={pasteIcon}
          label={trans.__('Insert %1', row.display_name)}
          act={() => actions.insert(space.name, row)}
        />
      )}
      <Cell icon={ellipsesIcon} label={trans.__('More about %1', row.display_name)} act={openMenu} />
    </div>
  );
}
