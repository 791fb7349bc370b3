/** The visible part of a long list. */
export interface IScrollPosition {
  top: number;
  height: number;
  rowHeight: number;
}

/** Number of rows rendered beyond the visible ones, so that scrolling shows no gap. */
const MARGIN = 6;

/** Returns the first row to render and the one after the last: the visible rows with a margin. */
export function getVisibleRows({ top, height, rowHeight }: IScrollPosition, total: number): readonly [number, number] {
  const first = Math.floor(top / rowHeight) - MARGIN;
  const end = Math.ceil((top + height) / rowHeight) + MARGIN;
  return [Math.max(0, Math.min(first, total)), Math.max(0, Math.min(end, total))];
}

/** Returns the scroll position that shows a whole row with as little movement as possible. */
export function getScrollTop({ top, height, rowHeight }: IScrollPosition, row: number): number {
  const above = row * rowHeight;
  const below = above + rowHeight - height;
  return Math.max(0, top > above ? above : Math.max(top, below));
}
