/** What of a long list is in view. */
export interface IScrolled {
  top: number;
  height: number;
  rowHeight: number;
}

/** How many rows beyond the edges are drawn, so that a small movement shows no gap. */
const MARGIN = 6;

/** The first row to draw and the one after the last: those in view, and a few beside them. */
export function rowsInView({ top, height, rowHeight }: IScrolled, total: number): readonly [number, number] {
  const first = Math.floor(top / rowHeight) - MARGIN;
  const end = Math.ceil((top + height) / rowHeight) + MARGIN;
  return [Math.max(0, Math.min(first, total)), Math.max(0, Math.min(end, total))];
}

/** Where the view has to be so that a row is wholly in it; as little movement as that takes. */
export function topToShow({ top, height, rowHeight }: IScrolled, row: number): number {
  const above = row * rowHeight;
  const below = above + rowHeight - height;
  return Math.max(0, top > above ? above : Math.max(top, below));
}
