import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';
import { expect, test } from 'vitest';
import { EntityList } from '../../../src/model/search/entity-list';
import { table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

type Settings = ConstructorParameters<typeof EntityList>[0];

/** Settings over a file that outlives them; JupyterLab's registry cannot be loaded without a browser. */
function openSettings(file: { starred: unknown }): Settings {
  const settings = {
    get: () => ({ composite: file.starred, user: file.starred }) as ReturnType<ISettingRegistry.ISettings['get']>,
    set: async (_: string, value: unknown) => {
      await Promise.resolve();
      file.starred = value;
      changed.emit();
    },
    changed: null as unknown as Awaited<Settings>['changed']
  };
  const changed = new Signal<object, void>(settings);
  settings.changed = changed as unknown as Awaited<Settings>['changed'];
  return Promise.resolve(settings);
}

test('stars are kept in the settings, the latest first', async () => {
  const file = { starred: [] };
  const starred = new EntityList(openSettings(file), 'starred');
  const seen: (readonly string[])[] = [];
  starred.changed.connect(() => seen.push(starred.state));
  await starred.toggle(table('a'));
  await starred.toggle(table('b'));
  expect(starred.state).toEqual([table('b'), table('a')]);
  expect(starred.has(table('a'))).toBe(true);
  const again = new EntityList(openSettings(file), 'starred');
  await waitUntil(() => again.state.length === 2);
  await again.toggle(table('b'));
  expect(again.state).toEqual([table('a')]);
  expect(seen).toContainEqual([table('a')]);
});

test('two quick stars are both kept', async () => {
  const starred = new EntityList(openSettings({ starred: [] }), 'starred');
  await Promise.all([starred.toggle(table('a')), starred.toggle(table('b'))]);
  expect([...starred.state].sort()).toEqual([table('a'), table('b')]);
});

test('without settings nothing is starred, and a star is refused', async () => {
  const starred = new EntityList(Promise.reject(new Error('no settings')), 'starred');
  expect(starred.state).toEqual([]);
  await expect(starred.toggle(table('a'))).rejects.toThrow('no settings');
});
