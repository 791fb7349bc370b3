import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSummary } from '../../generated/api';
import type { IScrollPosition } from '../../model/virtual-rows';
import { getVisibleRows, getScrollTop } from '../../model/virtual-rows';
import { useModel } from '../../components/use-model';
import type { ISchemaspaceActions } from './actions';
import type { InstancesModel } from './instances';
import type { Space } from './model';
import { Row } from './row';
import { useKeepFocus } from './use-keep-focus';
import { useScrollPosition } from '../../components/use-scroll-position';

interface IRowsProps {
  space: Space;
  model: InstancesModel;
  actions: ISchemaspaceActions;
  select: (row: InstanceSummary | null) => void;
  trans: TranslationBundle;
}

/** The target rows of keys; `page` is the number of visible rows. */
const STEPS: Record<string, (at: number, last: number, page: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: at => Math.max(0, at - 1),
  PageDown: (at, last, page) => Math.min(last, at + page),
  PageUp: (at, _, page) => Math.max(0, at - page),
  Home: () => 0,
  End: (_, last) => last
};

const SIDEWAYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

function findRow(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
}

/** Returns the buttons of a row, from the left. */
function listButtons(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('button')];
}

/** Handles a navigation key: focuses another button of the row, or returns the target row. */
function handleKey(event: React.KeyboardEvent, total: number, scrolled: IScrollPosition): number | null {
  const row = findRow(event.target);
  const step = STEPS[event.key];
  const side = SIDEWAYS[event.key];
  if (row && side !== undefined) {
    const cells = listButtons(row);
    cells[cells.indexOf(event.target as HTMLElement) + side]?.focus();
  }
  if (!row || !step) {
    return null;
  }
  event.preventDefault();
  const page = Math.max(1, Math.floor(scrolled.height / scrolled.rowHeight) - 1);
  return step(Number(row.dataset['at']), total - 1, page);
}

/** Instances as a grid with arrow key navigation; only visible rows are rendered. */
export function Rows(props: IRowsProps): React.JSX.Element {
  const { space, model, actions, select, trans } = props;
  const { rows, total, busy } = useModel(model);
  const grid = React.useRef<HTMLDivElement>(null);
  const [active, setActive] = React.useState(0);
  const scrolled = useScrollPosition(grid);
  const [first, end] = getVisibleRows(scrolled, total);
  const activeIndex = Math.min(active, total - 1);
  const focusRow = useKeepFocus(grid, activeIndex);
  React.useEffect(() => void model.loadUpTo(end - 1), [model, end, rows.length, total, busy]);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const next = handleKey(event, total, scrolled);
    const row = rows[Number(findRow(event.target)?.dataset['at'])];
    if (next !== null && grid.current) {
      grid.current.scrollTop = getScrollTop({ ...scrolled, top: grid.current.scrollTop }, next);
      setActive(next);
      focusRow(next);
    } else if (event.key === 'Delete' && row) {
      actions.remove(space.name, row);
    }
  };
  const onFocusRow = (event: React.SyntheticEvent): void => {
    const index = Number(findRow(event.target)?.dataset['at']);
    if (!Number.isNaN(index)) {
      setActive(index);
      select(rows[index] ?? null);
    }
  };
  const visible = [...new Set([activeIndex, ...Array.from({ length: end - first }, (_, index) => first + index)])];
  return (
    <div
      ref={grid}
      role="grid"
      className="jp-Colophon-grid"
      aria-label={trans.__('Instances of %1', space.display_name)}
      aria-rowcount={total}
      onKeyDown={onKeyDown}
      onFocus={onFocusRow}
      onContextMenu={onFocusRow}
    >
      <div className="jp-Colophon-gridInner" role="presentation" style={{ height: total * scrolled.rowHeight }}>
        {visible
          .sort((left, right) => left - right)
          .map(index => (
            <Row
              key={rows[index]?.name ?? index}
              row={rows[index]}
              index={index}
              height={scrolled.rowHeight}
              isTabStop={index === activeIndex}
              space={space}
              actions={actions}
              trans={trans}
            />
          ))}
      </div>
    </div>
  );
}
