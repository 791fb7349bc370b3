import { waitUntil } from './wait-until';

/** Finds a button of the page by its accessible name. */
export function findButton(name: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find(
    item => (item.getAttribute('aria-label') ?? item.textContent)?.trim() === name
  );
}

/** Clicks a button as soon as it is there. */
export async function clickButton(name: string): Promise<void> {
  await waitUntil(() => findButton(name) !== undefined);
  findButton(name)?.click();
}
