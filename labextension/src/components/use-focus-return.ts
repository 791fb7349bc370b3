import React from 'react';

/** Returns the ref of an element that is focused again when a form that replaces it is closed, if nothing else has focus. */
export function useFocusReturn<T extends HTMLElement>(isReplaced: boolean): React.RefObject<T> {
  const element = React.useRef<T>(null);
  const wasReplaced = React.useRef(isReplaced);
  React.useEffect(() => {
    if (wasReplaced.current && !isReplaced && document.activeElement === document.body) {
      element.current?.focus();
    }
    wasReplaced.current = isReplaced;
  }, [isReplaced]);
  return element;
}
