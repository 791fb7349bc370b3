import React from 'react';

/** How long a changed element is marked, in ms; as long as the animation in the style sheet. */
const PULSE_MS = 2000;

/** Differs from every value. */
const NOTHING = Symbol('nothing');

/**
 * Marks an element for a moment when a value has changed.
 *
 * The style sheet lets a marked element pulse, or outlines it for users who prefer reduced motion.
 *
 * @param isNew - Whether the element is also marked when it appears.
 */
export function usePulse<E extends HTMLElement>(value: unknown, isNew = false): React.RefObject<E> {
  const element = React.useRef<E>(null);
  const shownValue = React.useRef<unknown>(isNew ? NOTHING : value);
  React.useEffect(() => {
    const node = element.current;
    const hasChanged = !Object.is(shownValue.current, value);
    shownValue.current = value;
    if (node === null || !hasChanged) {
      return;
    }
    node.classList.add('jp-mod-changed');
    const unmark = (): void => node.classList.remove('jp-mod-changed');
    const timer = window.setTimeout(unmark, PULSE_MS);
    return () => {
      window.clearTimeout(timer);
      unmark();
    };
  }, [value]);
  return element;
}
