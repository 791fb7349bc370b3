import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSummary } from '../../generated/api';
import type { IScrolled } from '../../model/rows-in-view';
import { rowsInView, topToShow } from '../../model/rows-in-view';
import { useModel } from '../../components/use-model';
import type { ISchemaspaceActions } from './actions';
import type { InstancesModel } from './instances';
import type { Space } from './model';
import { Row } from './row';
import { useFocusKept } from './use-focus-kept';
import { useScrolled } from './use-scrolled';

interface IRowsProps {
  space: Space;
  model: InstancesModel;
  actions: ISchemaspaceActions;
  select: (row: InstanceSummary | null) => void;
  trans: TranslationBundle;
}

/** Where a key leads from a row, of which so many fit into the view. */
const STEPS: Record<string, (at: number, last: number, page: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: at => Math.max(0, at - 1),
  PageDown: (at, last, page) => Math.min(last, at + page),
  PageUp: (at, _, page) => Math.max(0, at - page),
  Home: () => 0,
  End: (_, last) => last
};

const SIDEWAYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

function rowOf(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
}

/** The things of a row that can be pressed, from the left. */
function cellsOf(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('button')];
}

/** Takes a key to where it leads: another button of the row, or another row. Answers that row, or null. */
function walk(event: React.KeyboardEvent, total: number, scrolled: IScrolled): number | null {
  const row = rowOf(event.target);
  const step = STEPS[event.key];
  const side = SIDEWAYS[event.key];
  if (row && side !== undefined) {
    const cells = cellsOf(row);
    cells[cells.indexOf(event.target as HTMLElement) + side]?.focus();
  }
  if (!row || !step) {
    return null;
  }
  event.preventDefault();
  const page = Math.max(1, Math.floor(scrolled.height / scrolled.rowHeight) - 1);
  return step(Number(row.dataset['at']), total - 1, page);
}

/** Instances as a grid: arrow keys go from row to row and to a row's buttons; only what is in view is drawn. */
export function Rows(props: IRowsProps): React.JSX.Element {
  const { space, model, actions, select, trans } = props;
  const { rows, total, busy } = useModel(model);
  const grid = React.useRef<HTMLDivElement>(null);
  const [active, setActive] = React.useState(0);
  const scrolled = useScrolled(grid);
  const [first, end] = rowsInView(scrolled, total);
  const at = Math.min(active, total - 1);
  const goTo = useFocusKept(grid, at);
  React.useEffect(() => void model.reach(end - 1), [model, end, rows.length, total, busy]);

  const move = (event: React.KeyboardEvent): void => {
    const next = walk(event, total, scrolled);
    const here = rows[Number(rowOf(event.target)?.dataset['at'])];
    if (next !== null && grid.current) {
      grid.current.scrollTop = topToShow({ ...scrolled, top: grid.current.scrollTop }, next);
      setActive(next);
      goTo(next);
    } else if (event.key === 'Delete' && here) {
      actions.remove(space.name, here);
    }
  };
  const arrived = (event: React.SyntheticEvent): void => {
    const here = Number(rowOf(event.target)?.dataset['at']);
    if (!Number.isNaN(here)) {
      setActive(here);
      select(rows[here] ?? null);
    }
  };
  const drawn = [...new Set([at, ...Array.from({ length: end - first }, (_, index) => first + index)])];
  return (
    <div
      ref={grid}
      role="grid"
      className="jp-Colophon-grid"
      aria-label={trans.__('Instances of %1', space.display_name)}
      aria-rowcount={total}
      onKeyDown={move}
      onFocus={arrived}
      onContextMenu={arrived}
    >
      <div className="jp-Colophon-gridInner" role="presentation" style={{ height: total * scrolled.rowHeight }}>
        {drawn
          .sort((one, other) => one - other)
          .map(index => (
            <Row
              key={rows[index]?.name ?? index}
              row={rows[index]}
              index={index}
              height={scrolled.rowHeight}
              reachable={index === at}
              space={space}
              actions={actions}
              trans={trans}
            />
          ))}
      </div>
    </div>
  );
}
