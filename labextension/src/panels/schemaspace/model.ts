import type { InstanceSummary, Schemaspaces } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { IChangeFeed, ISchemaspaces } from '../../tokens';
import { InstancesModel } from './instances';

/** A schemaspace with its schemas. */
export type Space = Schemaspaces['schemaspaces'][number];

/** The focused instance. */
export interface ICurrent {
  space: string;
  row: InstanceSummary;
}

/** The state of the panel. */
export interface ISchemaspacesState extends ILiveState {
  answered: boolean;
  spaces: readonly Space[];
  /** Schemas that could not be loaded, with the reasons. */
  problems: Schemaspaces['problems'];
  /** The names of the schemaspaces whose sections are open. */
  open: ReadonlySet<string>;
  current: ICurrent | null;
}

const EMPTY: ISchemaspacesState = {
  busy: false,
  problem: null,
  answered: false,
  spaces: [],
  problems: [],
  open: new Set(),
  current: null
};

/** The model of the schemaspaces, with a section for each that loads its instances while it is open and visible. */
export class SchemaspacesModel extends LiveModel<ISchemaspacesState> {
  /**
   * @param _readOpenSections - Reads which sections were open when the panel was last used; null for the first time.
   */
  constructor(
    private _spaces: ISchemaspaces,
    private _changes: IChangeFeed | null,
    private _readOpenSections: () => Promise<readonly string[] | null> = () => Promise.resolve(null)
  ) {
    // The list of schemaspaces is not part of the change log.
    super(null, EMPTY);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._sections.forEach(section => section.dispose());
      super.dispose();
    }
  }

  override show(): void {
    super.show();
    this._isInView = true;
    this._listOpenSections().forEach(section => section.show());
  }

  override hide(): void {
    super.hide();
    this._isInView = false;
    this._sections.forEach(section => section.hide());
  }

  /** Returns the section of a schemaspace; nothing is loaded before it is open. */
  getSection(space: string): InstancesModel {
    let section = this._sections.get(space);
    if (!section) {
      section = new InstancesModel(this._spaces, this._changes, space);
      this._sections.set(space, section);
    }
    return section;
  }

  /** Opens or closes a section. */
  toggle(space: string, open = !this.state.open.has(space)): void {
    const next = new Set(this.state.open);
    if (open) {
      next.add(space);
    } else {
      next.delete(space);
    }
    this._setOpen(next);
  }

  /** Reloads dynamic schemas of one schemaspace or all, and then everything that is shown. */
  async reloadSchemas(space?: string): Promise<void> {
    await this._spaces.refresh(space);
    await this.refresh();
    await Promise.all(this._listOpenSections().flatMap(section => [section.refresh(), section.loadRecoveryFiles()]));
  }

  /** Loads the instances of a schemaspace again, if they are shown. */
  async refreshSection(space: string): Promise<void> {
    if (this._isInView && this.state.open.has(space)) {
      const section = this.getSection(space);
      await Promise.all([section.refresh(), section.loadRecoveryFiles()]);
    }
  }

  /** Sets the focused instance, which is the default of commands. */
  select(current: ICurrent | null): void {
    if (current?.row !== this.state.current?.row || current?.space !== this.state.current?.space) {
      this.setState({ current });
    }
  }

  protected override async load(): Promise<Partial<ISchemaspacesState>> {
    const [{ schemaspaces, problems }, remembered] = await Promise.all([
      this._spaces.listSchemaspaces(),
      this._readOpenSections()
    ]);
    const spaces = [...schemaspaces].sort(
      (left, right) =>
        Number(left.deprecated) - Number(right.deprecated) || left.display_name.localeCompare(right.display_name)
    );
    if (!this.state.answered) {
      const names = spaces.map(space => space.name);
      const open = remembered ?? names.slice(0, 1);
      this._setOpen(new Set(open.filter(name => names.includes(name))));
    }
    return { spaces, problems, answered: true };
  }

  protected override onChanges(): void {
    return;
  }

  private _setOpen(open: ReadonlySet<string>): void {
    this.setState({ open });
    for (const [space, section] of this._sections) {
      if (!open.has(space)) {
        section.hide();
      }
    }
    if (this._isInView) {
      this._listOpenSections().forEach(section => section.show());
    }
  }

  private _listOpenSections(): InstancesModel[] {
    return [...this.state.open].map(space => this.getSection(space));
  }

  private _sections = new Map<string, InstancesModel>();
  private _isInView = false;
}
