import type { RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Keeps the focus in a grid whose rows are added and removed.
 *
 * @param currentRow - The row that has, or had, the focus.
 * @returns A function that focuses a row as soon as it is rendered.
 */
export function useKeepFocus(grid: RefObject<HTMLElement>, currentRow: number): (row: number) => void {
  const requestedRow = useRef<number | null>(null);
  const isInside = useRef(false);
  useEffect(() => {
    const node = grid.current;
    const onFocusIn = (): void => void (isInside.current = true);
    const onFocusOut = (event: FocusEvent): void => {
      const from = event.target as Node;
      // The removal of a focused row is not the user leaving the grid.
      window.setTimeout(() => {
        if (from.isConnected && node !== null && !node.contains(document.activeElement)) {
          isInside.current = false;
        }
      });
    };
    node?.addEventListener('focusin', onFocusIn);
    node?.addEventListener('focusout', onFocusOut);
    return () => {
      node?.removeEventListener('focusin', onFocusIn);
      node?.removeEventListener('focusout', onFocusOut);
    };
  }, [grid]);
  useLayoutEffect(() => {
    const isLost = isInside.current && document.activeElement === document.body;
    const row = requestedRow.current ?? (isLost ? currentRow : null);
    const button = row === null ? null : grid.current?.querySelector<HTMLElement>(`[data-at="${row}"] button`);
    if (button) {
      requestedRow.current = null;
      button.focus({ preventScroll: true });
    }
  });
  return row => void (requestedRow.current = row);
}
