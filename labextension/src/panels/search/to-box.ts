/** What is chosen goes from its list, and with it the keyboard: it goes back to the box. */
export function toBox(from: HTMLElement | null): void {
  from?.closest('.jp-Colophon-searchBody')?.querySelector<HTMLElement>('input[type="search"]')?.focus();
}
