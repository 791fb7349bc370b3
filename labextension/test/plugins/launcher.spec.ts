import type { JupyterFrontEnd } from '@jupyterlab/application';
import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { launcher } from '../../src/plugins/application/launcher';
import { FakeServer, problem } from '../support/server';
import { waitUntil } from '../support/wait-until';

const PANEL = {
  ...{ app: 'dataprep', id: 'wrangler', title: 'Prepare data', icon: 'ui-components:table-rows', contexts: true },
  ...{ version: '1', module: 'panel.js' }
};

/** Activates the plugin. Returns the cards of the launcher and the items of the palette, which are added later too. */
function activate(server: FakeServer): [unknown[], unknown[]] {
  const [cards, items]: [unknown[], unknown[]] = [[], []];
  const metadata = new Catalog(server.settings);
  const launcherOfLab = { add: (card: unknown) => cards.push(card) };
  void launcher.activate({} as JupyterFrontEnd, metadata, launcherOfLab, null, {
    addItem: (item: unknown) => items.push(item)
  });
  return [cards, items];
}

test('panels of applications have cards in the launcher, and are in the palette', async () => {
  const server = new FakeServer().on('GET', 'system-apps/panels', { body: { panels: [PANEL] } });
  const [cards, items] = activate(server);
  await waitUntil(() => cards.length === 3);
  expect(items).toEqual([
    {
      command: 'colophon:show-applications',
      category: 'Metadata',
      args: { item: 'dataprep/wrangler', label: 'Prepare data', icon: 'ui-components:table-rows' }
    }
  ]);
  expect(cards[2]).toEqual(items[0]);
});

test('without the panels, the launcher has the other cards', async () => {
  const server = new FakeServer().on('GET', 'system-apps/panels', problem(503, 'the store is unavailable'));
  const [cards, items] = activate(server);
  await waitUntil(() => server.count('GET', 'system-apps/panels') > 0);
  expect([cards.length, items.length]).toEqual([2, 0]);
});
