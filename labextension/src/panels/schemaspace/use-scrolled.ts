import type { RefObject } from 'react';
import { useEffect, useState } from 'react';
import type { IScrolled } from '../../model/rows-in-view';

/** Two lines and the room about them, in letters' heights: a row grows with the interface's font. */
const ROW_IN_LETTERS = 3.5;
const LETTER_PX = 13;

function measured(node: HTMLElement): IScrolled {
  const letter = Number.parseFloat(getComputedStyle(node).fontSize);
  const rowHeight = Math.round(ROW_IN_LETTERS * (Number.isNaN(letter) ? LETTER_PX : letter));
  return { top: node.scrollTop, height: node.clientHeight, rowHeight };
}

/** What of a scrolled element is in view, kept up to date. */
export function useScrolled(element: RefObject<HTMLElement>): IScrolled {
  const [scrolled, setScrolled] = useState<IScrolled>({ top: 0, height: 0, rowHeight: ROW_IN_LETTERS * LETTER_PX });
  useEffect(() => {
    const node = element.current;
    if (node === null) {
      return;
    }
    const look = (): void => setScrolled(measured(node));
    const observer = new ResizeObserver(look);
    observer.observe(node);
    node.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      node.removeEventListener('scroll', look);
    };
  }, [element]);
  return scrolled;
}
