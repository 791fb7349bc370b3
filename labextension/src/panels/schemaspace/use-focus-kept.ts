import type { RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Keeps the keyboard in a grid whose rows come and go.
 *
 * @param at - The row that the keyboard is at, or was at when it went.
 * @returns Takes the keyboard to a row as soon as that is drawn.
 */
export function useFocusKept(grid: RefObject<HTMLElement>, at: number): (row: number) => void {
  const wanted = useRef<number | null>(null);
  const inside = useRef(false);
  useEffect(() => {
    const node = grid.current;
    const came = (): void => void (inside.current = true);
    const went = (event: FocusEvent): void => {
      const from = event.target as Node;
      // A row that goes takes the focus along: that is not somebody leaving.
      window.setTimeout(() => {
        if (from.isConnected && node !== null && !node.contains(document.activeElement)) {
          inside.current = false;
        }
      });
    };
    node?.addEventListener('focusin', came);
    node?.addEventListener('focusout', went);
    return () => {
      node?.removeEventListener('focusin', came);
      node?.removeEventListener('focusout', went);
    };
  }, [grid]);
  useLayoutEffect(() => {
    const lost = inside.current && document.activeElement === document.body;
    const row = wanted.current ?? (lost ? at : null);
    const button = row === null ? null : grid.current?.querySelector<HTMLElement>(`[data-at="${row}"] button`);
    if (button) {
      wanted.current = null;
      button.focus({ preventScroll: true });
    }
  });
  return row => void (wanted.current = row);
}
