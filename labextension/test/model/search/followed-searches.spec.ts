import { Signal } from '@lumino/signaling';
import { expect, test } from 'vitest';
import { FollowedSearches, formatSearch } from '../../../src/model/search/followed-searches';

/** The part of JupyterLab's settings that lists use, in memory. */
class Settings {
  readonly changed = new Signal<this, void>(this) as never;
  constructor(public value: unknown) {}

  get(): { composite: never; user: never } {
    return { composite: this.value as never, user: this.value as never };
  }

  set(_: string, value: unknown): Promise<void> {
    this.value = value;
    return Promise.resolve();
  }
}

test('followed searches are read from the settings, without invalid ones', async () => {
  const stored = [
    { query: 'a:*', filters: { type: 'dataset' } },
    { query: 'b' },
    'c',
    { query: 'd', filters: { x: 1 } }
  ];
  const searches = new FollowedSearches(Promise.resolve(new Settings(stored)));
  await Promise.resolve();
  expect(searches.state.map(formatSearch)).toEqual(['a:* · dataset', 'b']);
});

test('a search is followed and unfollowed in the settings, whatever the order of its filters', async () => {
  const settings = new Settings([]);
  const searches = new FollowedSearches(Promise.resolve(settings));
  await searches.toggle({ query: 'a', filters: { type: 'dataset', tag: 'pii' } });
  expect(settings.value).toEqual([{ query: 'a', filters: { type: 'dataset', tag: 'pii' } }]);
  const same = { query: 'a', filters: { tag: 'pii', type: 'dataset' } };
  expect(searches.has(same)).toBe(true);
  expect(searches.has({ query: 'a', filters: {} })).toBe(false);
  await searches.toggle(same);
  expect(settings.value).toEqual([]);
});
