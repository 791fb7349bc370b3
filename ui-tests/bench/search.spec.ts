import type { Page } from '@playwright/test';
import { expect, openLab, runCommand, test } from '../tests/lab';

const ROUNDS = 3;
/** From `bench/corpus.py`: the words of a rank in frequency, and the names of entities. */
const SYLLABLES = [...'bcdfghjklmnprstvwxz'].flatMap(first => [...'aeiou'].map(second => first + second));

function getWord(rank: number): string {
  return [0, 1, 2].map(place => SYLLABLES[Math.floor(rank / 95 ** place) % 95]).join('');
}

const range = (count: number): number[] => [...Array(count).keys()];
const QUERIES: Record<string, string[]> = {
  'whole name': range(10).map(index => `table${String(12_345 + 98_760 * index).padStart(7, '0')}`),
  'rare word': range(10).map(index => getWord(20_000 + 2_500 * index)),
  'middling word': range(10).map(index => getWord(200 + 180 * index)),
  'common word': range(10).map(index => getWord(index)),
  'key:value': range(10).map(index => `owner:team${5 * index}`)
};

/**
 * Puts a text into the empty box, as the last keystroke does, and returns how many hits are shown, and the milliseconds
 * until the request is sent and until the hits are painted.
 */
async function measureSearch(page: Page, text: string): Promise<{ hits: number; pause: number; answer: number }> {
  return page.evaluate(async query => {
    const nextFrame = (): Promise<void> => new Promise(resolve => requestAnimationFrame(() => resolve()));
    const box = document.querySelector<HTMLInputElement>('.jp-Colophon-searchBody input[role=combobox]')!;
    const setText = (value: string): void => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(box, value);
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    };
    const findHits = (): Element[] => [...document.querySelectorAll('.jp-Colophon-entities [data-urn]')];
    setText('');
    await new Promise(resolve => setTimeout(resolve, 500));
    while (document.querySelector('.jp-Colophon-searchBody[aria-busy=true]') !== null) {
      await nextFrame();
    }
    performance.clearResourceTimings();
    const start = performance.now();
    setText(query);
    while (findHits().length === 0) {
      await nextFrame();
    }
    await nextFrame();
    const answer = performance.now() - start;
    const requests = performance.getEntriesByType('resource').filter(({ name }) => /\/search\?/.test(name));
    return { hits: findHits().length, pause: (requests[0]?.startTime ?? start) - start, answer };
  }, text);
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

test('figures of the search', async ({ page }) => {
  await openLab(page);
  await runCommand(page, 'colophon:show-search');
  await expect(page.getByLabel('Search metadata')).toBeFocused();
  const figures = [];
  for (const [kind, queries] of Object.entries(QUERIES)) {
    const answers = [];
    for (const query of range(ROUNDS).flatMap(() => queries)) {
      answers.push(await measureSearch(page, query));
    }
    const times = answers.map(({ answer }) => answer);
    figures.push({
      query: kind,
      'hits (p50)': median(answers.map(({ hits }) => hits)),
      'pause before the request (ms, p50)': Math.round(median(answers.map(({ pause }) => pause))),
      'keystroke to hits (ms, p50)': Math.round(median(times)),
      'longest (ms)': Math.round(Math.max(...times))
    });
  }
  console.table(figures);
});
