/** Focuses the search box, because the focused list item is about to be removed. */
export function focusSearch(from: HTMLElement | null): void {
  from?.closest('.jp-Colophon-searchBody')?.querySelector<HTMLElement>('[role="combobox"]')?.focus();
}
