import type { RefObject } from 'react';
import { useEffect, useState } from 'react';
import type { IScrollPosition } from '../model/virtual-rows';

/** Two lines with padding, in em, so that a row grows with the font size. */
const ROW_HEIGHT_EM = 3.5;
const DEFAULT_FONT_PX = 13;

function measureScroll(node: HTMLElement): IScrollPosition {
  const fontSize = Number.parseFloat(getComputedStyle(node).fontSize);
  const rowHeight = Math.round(ROW_HEIGHT_EM * (Number.isNaN(fontSize) ? DEFAULT_FONT_PX : fontSize));
  return { top: node.scrollTop, height: node.clientHeight, rowHeight };
}

/** Returns the visible part of a scrolled element, and keeps it up to date. */
export function useScrollPosition(element: RefObject<HTMLElement>): IScrollPosition {
  const [scrolled, setScrolled] = useState<IScrollPosition>({
    top: 0,
    height: 0,
    rowHeight: ROW_HEIGHT_EM * DEFAULT_FONT_PX
  });
  useEffect(() => {
    const node = element.current;
    if (node === null) {
      return;
    }
    const update = (): void => setScrolled(measureScroll(node));
    const observer = new ResizeObserver(update);
    observer.observe(node);
    node.addEventListener('scroll', update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      node.removeEventListener('scroll', update);
    };
  }, [element]);
  return scrolled;
}
