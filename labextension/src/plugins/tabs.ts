import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { LabShell } from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import { WidgetTracker } from '@jupyterlab/apputils';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import { URN_ARGUMENTS, urnOf } from './arguments';

/** A tab in the main area about one entity. */
type Tab = MainAreaWidget<Widget & { readonly model: { readonly urn: string } }>;

/** What distinguishes tabs of one kind from those of another. */
interface ITabKind<T extends Tab> {
  /** Where JupyterLab remembers open tabs, and the beginning of their ids. */
  namespace: string;
  /** The shell's word for such tabs, by which a person can place them. */
  type: string;
  /** The command that opens one; its argument is a URN. */
  command: string;
  label: string;
  caption: string;
  icon: LabIcon;
  /** A new tab with its title; `offerTabs` gives it an id. */
  made(urn: string): T;
}

/**
 * Adds a tab to the main area; where that holds one document only, as in Notebook 7, to the panel on the right.
 */
export function addTab(shell: JupyterFrontEnd.IShell, tab: Widget, type: string): void {
  shell.add(tab, 'main', { type });
  // JupyterLab may add it a moment later, another application has refused it.
  if (tab.parent === null && !(shell instanceof LabShell)) {
    shell.add(tab, 'right', { type });
  }
}

/** Offers the command that opens a tab for an entity, or finds it; tabs that were open come back with the layout. */
export function offerTabs<T extends Tab>(
  { commands, shell }: JupyterFrontEnd,
  restorer: ILayoutRestorer | null,
  kind: ITabKind<T>
): void {
  const { namespace, type, command, label, caption, icon, made } = kind;
  const tracker = new WidgetTracker<T>({ namespace });
  const added = (urn: string): T => {
    const tab = made(urn);
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
    isEnabled: args => urnOf(args) !== '',
    execute: args => {
      const urn = urnOf(args);
      const tab = tracker.find(other => other.content.model.urn === urn) ?? added(urn);
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
