import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { Menu } from '@lumino/widgets';
import { CommandIDs } from '../commands';
import { shortenUrn } from '../model/urns';

/** What runs read and wrote, by URN. */
export interface IDataUses {
  reads: readonly { urn: string }[];
  writes: readonly { urn: string }[];
}

/** A command with its arguments. */
interface IMenuCommand {
  command: string;
  args: ReadonlyJSONObject;
}

/** Returns the URNs of data, each once. */
function listUrns(uses: IDataUses['reads']): string[] {
  return [...new Set(uses.map(({ urn }) => urn))];
}

/** Describes what was read and written in one sentence for tooltips. */
export function describeUses({ reads, writes }: IDataUses, trans: TranslationBundle): string {
  const format = (uses: IDataUses['reads']): string => listUrns(uses).map(shortenUrn).join(', ');
  const sentences = [
    reads.length > 0 ? trans.__('Reads %1.', format(reads)) : '',
    writes.length > 0 ? trans.__('Writes %1.', format(writes)) : ''
  ];
  return sentences.filter(sentence => sentence !== '').join(' ');
}

/** Opens a menu below an element: the data that was read and written, then commands. */
export function openDataMenu(
  anchor: HTMLElement,
  commands: CommandRegistry,
  uses: IDataUses,
  further: readonly IMenuCommand[],
  trans: TranslationBundle
): Menu {
  const menu = new Menu({ commands });
  const add = (urn: string, label: string): void => {
    menu.addItem({ command: CommandIDs.openNotebookData, args: { urn, label } });
  };
  listUrns(uses.writes).forEach(urn => add(urn, trans.__('%1 (written)', shortenUrn(urn))));
  listUrns(uses.reads).forEach(urn => add(urn, trans.__('%1 (read)', shortenUrn(urn))));
  if (uses.reads.length === 0 && uses.writes.length === 0) {
    add('', trans.__('Nothing is recorded about this notebook yet'));
  }
  menu.addItem({ type: 'separator' });
  further.forEach(item => menu.addItem({ ...item }));
  menu.aboutToClose.connect(() => {
    anchor.focus();
    // The command of the chosen item runs after the menu has closed.
    window.setTimeout(() => menu.dispose());
  });
  const { left, bottom } = anchor.getBoundingClientRect();
  menu.open(left, bottom);
  // Entries are reached with the arrow keys from the first one on.
  menu.activeIndex = 0;
  // JupyterLab 4.5 moves the focus to the cell after a click in the toolbar of its notebook.
  window.requestAnimationFrame(() => menu.isAttached && menu.activate());
  return menu;
}
