import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { LabShell } from '@jupyterlab/application';
import type { IWidgetTracker } from '@jupyterlab/apputils';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import { Toolbar } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Title, Widget } from '@lumino/widgets';
import { DockPanel, TabPanel } from '@lumino/widgets';
import { LazyPanel } from '../../components/lazy-panel';
import { TAB_ARGUMENTS, getUrn } from '../arguments';

/** The data attribute of the tab that the next preview replaces. */
const PREVIEW = 'colophon-preview';

/** The panel of a tab. */
interface ITabPanel extends Widget {
  /** Whether closing it discards changes. */
  readonly isDirty?: boolean;
  /** Asks the user whether to discard the changes. */
  confirmClose?(): Promise<boolean>;
}

/** How a tab looks until its panel, whose title replaces this one, is loaded. */
interface ITabTitle {
  label: string;
  caption: string;
  icon: LabIcon;
}

/** A tab of the main area whose panel is loaded when the tab is first shown; it asks before it discards changes. */
export class PanelTab<P extends ITabPanel> extends MainAreaWidget<LazyPanel<P>> {
  constructor(title: ITabTitle, loadPanel: () => Promise<P>, trans: TranslationBundle) {
    // Without items; the default, a ReactiveToolbar, leaves nodes behind when it is disposed.
    super({ content: new LazyPanel(loadPanel, trans), toolbar: new Toolbar() });
    Object.assign(this.title, title);
    this.toolbar.hide();
  }

  /** The panel; null until it is loaded. */
  get panel(): P | null {
    return this.content.panel;
  }

  protected override onCloseRequest(message: Message): void {
    const { panel } = this;
    if (!panel?.isDirty || !panel.confirmClose) {
      super.onCloseRequest(message);
      return;
    }
    void panel.confirmClose().then(confirmed => {
      if (confirmed) {
        this.dispose();
      }
    });
  }
}

/** An item of a page that has a tab of its own, with the label of that tab. */
export interface IPageItem {
  item?: string;
  label?: string;
}

/** A page of which at most one tab is open, or one for each of its items. Tabs are restored with the layout. */
export class SinglePage<P extends ITabPanel> {
  constructor(
    private _shell: JupyterFrontEnd.IShell,
    private _page: { name: string; label: string; icon: LabIcon },
    private _trans: TranslationBundle
  ) {
    this._tracker = new WidgetTracker({ namespace: `colophon-${_page.name}` });
  }

  /** The open tab. */
  get tab(): PanelTab<P> | null {
    return this._tracker.find(() => true) ?? null;
  }

  /** Shows the tab of the page or of an item, and opens it if it is closed. */
  show(loadPanel: () => Promise<P>, { item = '', label = this._page.label }: IPageItem = {}): PanelTab<P> {
    const id = this._prefix + item;
    const tab = this._tracker.find(other => other.id === id) ?? this._open(loadPanel, id, label);
    activateTab(this._shell, tab);
    return tab;
  }

  /** Opens the tab by its command when JupyterLab restores the layout. */
  restore(restorer: ILayoutRestorer | null, command: string): void {
    void restorer?.restore(this._tracker, {
      command,
      args: ({ id, title: { label } }) => ({ item: id.slice(this._prefix.length), label }),
      name: ({ id }) => id
    });
  }

  private _open(loadPanel: () => Promise<P>, id: string, label: string): PanelTab<P> {
    const tab = new PanelTab({ label, caption: label, icon: this._page.icon }, loadPanel, this._trans);
    tab.id = id;
    addTab(this._shell, tab, 'Metadata');
    void this._tracker.add(tab);
    return tab;
  }

  /** The prefix of the ids of tabs. */
  private get _prefix(): string {
    return `jp-colophon-${this._page.name}-page`;
  }

  private _tracker: WidgetTracker<PanelTab<P>>;
}

/** A tab of one entity. */
class EntityTab<P extends ITabPanel> extends PanelTab<P> {
  constructor(
    readonly urn: string,
    private _kind: ITabKind<P>,
    args: ReadonlyPartialJSONObject,
    trans: TranslationBundle
  ) {
    const latest = { args };
    const load = async (): Promise<P> => {
      const panel = await loadPanel(urn, _kind, latest);
      _kind.restoring?.getChanged(panel).connect(() => this._watchArguments());
      return panel;
    };
    super({ ..._kind.getTitle(urn), icon: _kind.icon }, load, trans);
    this.id = `jp-${_kind.namespace}-${encodeURIComponent(urn)}`;
    this._latest = latest;
  }

  /** The arguments of the command that opens this tab again. */
  get savedArguments(): ReadonlyPartialJSONObject {
    const {
      _kind: { restoring },
      urn
    } = this;
    if (!restoring) {
      return { urn };
    }
    return { ...(this.panel ? restoring.getArguments(this.panel) : this._latest.args), urn, preview: false };
  }

  /** Emitted when the arguments that open this tab again have changed. */
  get savedArgumentsChanged(): ISignal<this, void> {
    return this._savedArgumentsChanged;
  }

  /** Applies the arguments of the command; when the panel is loaded, if it is not yet. */
  applyArguments(args: ReadonlyPartialJSONObject): void {
    this._latest.args = { ...this._latest.args, ...args };
    if (this.panel) {
      this._kind.applyArguments?.(this.panel, args);
    }
  }

  private _watchArguments(): void {
    const text = JSON.stringify(this.savedArguments);
    if (text !== this._savedText) {
      this._savedText = text;
      this._savedArgumentsChanged.emit();
    }
  }

  private _latest: { args: ReadonlyPartialJSONObject };
  private _savedText = '';
  private _savedArgumentsChanged = new Signal<this, void>(this);
}

/** The properties of a kind of tab. */
interface ITabKind<P extends ITabPanel> {
  /** The namespace of the layout restorer, and the prefix of the ids. */
  namespace: string;
  /** The type for the layout of the shell. */
  type: string;
  /** The command that opens a tab; its argument is a URN. */
  command: string;
  label: string;
  caption: string;
  icon: LabIcon;
  /** Returns the title until the panel is loaded. */
  getTitle(urn: string): Omit<ITabTitle, 'icon'>;
  /** The schema of the arguments of the command; by default, the URN alone. */
  arguments?: ReadonlyJSONObject;
  /** Imports and creates the panel. */
  loadPanel(urn: string): Promise<P>;
  /** Handles further arguments of the command; for a new tab, when its panel is loaded. */
  applyArguments?(panel: P, args: ReadonlyPartialJSONObject): void;
  /** How the view of a panel is restored with the layout; by default, only the entity is. */
  restoring?: {
    /** Returns the arguments that open the panel as it is now. */
    getArguments(panel: P): ReadonlyPartialJSONObject;
    /** Returns the signal after which they may differ. */
    getChanged(panel: P): ISignal<unknown, unknown>;
  };
}

/** Loads the panel of a tab, and applies the arguments of the last command that opened it. */
async function loadPanel<P extends ITabPanel>(
  urn: string,
  kind: ITabKind<P>,
  latest: { readonly args: ReadonlyPartialJSONObject }
): Promise<P> {
  const panel = await kind.loadPanel(urn);
  kind.applyArguments?.(panel, latest.args);
  return panel;
}

/** Returns the tabs of the file list of Notebook 7; undefined on its other pages and in other applications. */
function findTabPanel(shell: JupyterFrontEnd.IShell): TabPanel | undefined {
  return [...shell.widgets('main')].find(widget => widget instanceof TabPanel);
}

/**
 * Adds a tab to the main area.
 *
 * In Notebook 7, the main area only holds one widget: the tab is added to the tabs of the file list, or else, beside a
 * notebook, to the right sidebar.
 */
export function addTab(
  shell: JupyterFrontEnd.IShell,
  tab: Widget,
  type: string,
  options: Parameters<JupyterFrontEnd.IShell['add']>[2] = {}
): void {
  shell.add(tab, 'main', { type, ...options });
  // JupyterLab may add it asynchronously; other applications have rejected it.
  if (tab.parent !== null || shell instanceof LabShell) {
    return;
  }
  const panel = findTabPanel(shell);
  if (panel) {
    tab.title.closable = true;
    panel.tabBar.tabCloseRequested.connect(closeTab, tab);
    panel.addWidget(tab);
  } else {
    shell.add(tab, 'right', { type });
  }
}

/** Closes the tab `this` when the user requests it; Notebook 7 only has tabs that stay. */
function closeTab(this: Widget, _: unknown, { title }: { title: Title<Widget> }): void {
  if (title.owner === this) {
    this.close();
  }
}

/** Shows a tab, and moves the focus to it. */
export function activateTab(shell: JupyterFrontEnd.IShell, tab: Widget): void {
  const panel = findTabPanel(shell);
  if (panel?.widgets.includes(tab)) {
    panel.currentWidget = tab;
    tab.activate();
  } else {
    shell.activateById(tab.id);
  }
}

/**
 * Whether a tab is the one that the user works with. Notebook 7 has the document or the list of files as its current
 * widget, beside which the tab is shown.
 */
export function isCurrentTab(shell: JupyterFrontEnd.IShell, tab: Widget): boolean {
  const isShown = tab === shell.currentWidget || (!(shell instanceof LabShell) && tab.isVisible);
  return isShown || tab.node.contains(document.activeElement);
}

/** Selects a new tab without moving the focus; without a dock panel, the shell activates it. */
function selectTab(shell: JupyterFrontEnd.IShell, tab: Widget): void {
  if (tab.parent instanceof DockPanel) {
    tab.parent.selectWidget(tab);
  } else {
    activateTab(shell, tab);
  }
}

/** Marks a tab as the one that the next preview replaces; its title is italic. */
function setPreview(tab: Widget, preview: boolean): void {
  tab.title.dataset = preview ? { [PREVIEW]: 'true' } : {};
}

function isPreview(tab: Widget): boolean {
  return PREVIEW in tab.title.dataset;
}

/** Keeps a previewed tab as soon as its content is edited. */
function keepWhenEdited(tab: Widget): void {
  tab.title.changed.connect(title => {
    if (isPreview(tab) && title.className.includes('jp-mod-dirty')) {
      setPreview(tab, false);
    }
  });
}

/**
 * Registers the command that opens or activates a tab of an entity; open tabs are restored with the layout. Returns the
 * open tabs.
 */
export function registerTabs<P extends ITabPanel>(
  { commands, shell }: JupyterFrontEnd,
  restorer: ILayoutRestorer | null,
  kind: ITabKind<P>,
  trans: TranslationBundle
): IWidgetTracker {
  const { namespace, type, command, label, caption, icon } = kind;
  const tracker = new WidgetTracker<EntityTab<P>>({ namespace });
  const openTab = (urn: string, args: ReadonlyPartialJSONObject): EntityTab<P> => {
    const asPreview = args['preview'] === true;
    const replaced = asPreview ? tracker.find(isPreview) : undefined;
    const tab = new EntityTab(urn, kind, args, trans);
    setPreview(tab, asPreview);
    keepWhenEdited(tab);
    addTab(shell, tab, type, replaced ? { mode: 'tab-after', ref: replaced.id } : {});
    void tracker.add(tab);
    tab.savedArgumentsChanged.connect(() => void tracker.save(tab));
    replaced?.dispose();
    return tab;
  };
  commands.addCommand(command, {
    label,
    caption,
    icon,
    describedBy: { args: kind.arguments ?? TAB_ARGUMENTS },
    isEnabled: args => getUrn(args) !== '',
    execute: args => {
      const urn = getUrn(args);
      const open = tracker.find(other => other.urn === urn);
      open?.applyArguments(args);
      const tab = open ?? openTab(urn, args);
      if (args['preview'] === true) {
        selectTab(shell, tab);
      } else {
        setPreview(tab, false);
        activateTab(shell, tab);
      }
      return tab;
    }
  });
  void restorer?.restore(tracker, { command, args: tab => tab.savedArguments, name: ({ urn }) => urn });
  return tracker;
}
