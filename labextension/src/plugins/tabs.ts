import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { LabShell } from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import { WidgetTracker } from '@jupyterlab/apputils';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import { URN_ARGUMENTS, getUrn } from './arguments';

/** A tab of one entity in the main area. */
type Tab = MainAreaWidget<Widget & { readonly model: { readonly urn: string } }>;

/** The properties of a kind of tab. */
interface ITabKind<T extends Tab> {
  /** The namespace of the layout restorer, and the prefix of the ids. */
  namespace: string;
  /** The type for the layout of the shell. */
  type: string;
  /** The command that opens a tab; its argument is a URN. */
  command: string;
  label: string;
  caption: string;
  icon: LabIcon;
  /** Creates a tab with its title; `registerTabs` sets the id. */
  createTab(urn: string): T;
}

/** Adds a tab to the main area, or to the right panel if the main area only holds one document, as in Notebook 7. */
export function addTab(shell: JupyterFrontEnd.IShell, tab: Widget, type: string): void {
  shell.add(tab, 'main', { type });
  // JupyterLab may add it asynchronously; other applications have rejected it.
  if (tab.parent === null && !(shell instanceof LabShell)) {
    shell.add(tab, 'right', { type });
  }
}

/** Registers the command that opens or activates a tab of an entity; open tabs are restored with the layout. */
export function registerTabs<T extends Tab>(
  { commands, shell }: JupyterFrontEnd,
  restorer: ILayoutRestorer | null,
  kind: ITabKind<T>
): void {
  const { namespace, type, command, label, caption, icon, createTab } = kind;
  const tracker = new WidgetTracker<T>({ namespace });
  const openTab = (urn: string): T => {
    const tab = createTab(urn);
    tab.id = `jp-${namespace}-${encodeURIComponent(urn)}`;
    addTab(shell, tab, type);
    void tracker.add(tab);
    return tab;
  };
  commands.addCommand(command, {
    label,
    caption,
    icon,
    describedBy: { args: URN_ARGUMENTS },
    isEnabled: args => getUrn(args) !== '',
    execute: args => {
      const urn = getUrn(args);
      const tab = tracker.find(other => other.content.model.urn === urn) ?? openTab(urn);
      shell.activateById(tab.id);
      return tab;
    }
  });
  void restorer?.restore(tracker, {
    command,
    args: tab => ({ urn: tab.content.model.urn }),
    name: tab => tab.content.model.urn
  });
}
