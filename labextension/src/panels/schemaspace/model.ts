import type { InstanceSummary, Schemaspaces } from '../../generated/api';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { IChangeFeed, ISchemaspaces } from '../../tokens';
import { InstancesModel } from './instances';

/** A schemaspace with the schemas that instances can be made of. */
export type Space = Schemaspaces['schemaspaces'][number];

/** The instance that a person is at. */
export interface ICurrent {
  space: string;
  row: InstanceSummary;
}

/** What the panel shows. */
export interface ISchemaspacesState extends ILiveState {
  answered: boolean;
  spaces: readonly Space[];
  /** What did not load, and why. */
  problems: Schemaspaces['problems'];
  /** The sections that are open, by the name of their schemaspace. */
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

/** The schemaspaces, each with a section that asks for its instances while it is open and in view. */
export class SchemaspacesModel extends LiveModel<ISchemaspacesState> {
  /**
   * @param _remembered - Tells the sections that were open when the panel was last used; null for the first time.
   */
  constructor(
    private _spaces: ISchemaspaces,
    private _changes: IChangeFeed | null,
    private _remembered: () => Promise<readonly string[] | null> = () => Promise.resolve(null)
  ) {
    // What schemaspaces there are is no part of the change log.
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
    this._inView = true;
    this._openSections().forEach(section => section.show());
  }

  override hide(): void {
    super.hide();
    this._inView = false;
    this._sections.forEach(section => section.hide());
  }

  /** The instances of a schemaspace; nothing is asked before its section is open. */
  section(space: string): InstancesModel {
    let section = this._sections.get(space);
    if (!section) {
      section = new InstancesModel(this._spaces, this._changes, space);
      this._sections.set(space, section);
    }
    return section;
  }

  /** Opens a section, or closes it. */
  toggle(space: string, open = !this.state.open.has(space)): void {
    const next = new Set(this.state.open);
    if (open) {
      next.add(space);
    } else {
      next.delete(space);
    }
    this._settle(next);
  }

  /** Loads schemas that are made anew each time, of one schemaspace or all, and asks again for what is shown. */
  async reload(space?: string): Promise<void> {
    await this._spaces.refresh(space);
    await this.refresh();
    await Promise.all(this._openSections().flatMap(section => [section.refresh(), section.lookForLeftovers()]));
  }

  /** Asks again for the instances of a schemaspace, if they are shown. */
  async refreshSection(space: string): Promise<void> {
    if (this._inView && this.state.open.has(space)) {
      const section = this.section(space);
      await Promise.all([section.refresh(), section.lookForLeftovers()]);
    }
  }

  /** A person is at this instance now: commands without arguments are about it. */
  select(current: ICurrent | null): void {
    if (current?.row !== this.state.current?.row || current?.space !== this.state.current?.space) {
      this.set({ current });
    }
  }

  protected override async ask(): Promise<Partial<ISchemaspacesState>> {
    const [{ schemaspaces, problems }, remembered] = await Promise.all([this._spaces.all(), this._remembered()]);
    const spaces = [...schemaspaces].sort(
      (one, other) =>
        Number(one.deprecated) - Number(other.deprecated) || one.display_name.localeCompare(other.display_name)
    );
    if (!this.state.answered) {
      const known = spaces.map(space => space.name);
      const open = remembered ?? known.slice(0, 1);
      this._settle(new Set(open.filter(name => known.includes(name))));
    }
    return { spaces, problems, answered: true };
  }

  protected override heard(): void {
    return;
  }

  private _settle(open: ReadonlySet<string>): void {
    this.set({ open });
    for (const [space, section] of this._sections) {
      if (!open.has(space)) {
        section.hide();
      }
    }
    if (this._inView) {
      this._openSections().forEach(section => section.show());
    }
  }

  private _openSections(): InstancesModel[] {
    return [...this.state.open].map(space => this.section(space));
  }

  private _sections = new Map<string, InstancesModel>();
  private _inView = false;
}
