import type { ColumnImpact } from '../../generated/api';
import { formatCsv } from '../../model/csv';
import { readDisplayNames } from '../../model/display-names';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { ICatalog } from '../../tokens';

/** What depends on a column; null until it is loaded. */
interface IColumnImpactState extends ILiveState {
  impact: ColumnImpact | null;
  /** The names by which people know the programs, by URN. */
  names: ReadonlyMap<string, string>;
}

/** The model of the dialogs that show what depends on a column. */
export class ColumnImpactModel extends LiveModel<IColumnImpactState> {
  constructor(
    private _catalog: ICatalog,
    readonly urn: string
  ) {
    super(null, { impact: null, names: new Map(), busy: false, problem: null });
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IColumnImpactState>> {
    const impact = await this._catalog.call('readColumnImpact', { urn: this.urn }, { signal });
    const programs = impact.columns.flatMap(({ program }) => (program === null ? [] : [program]));
    return { impact, names: await readDisplayNames(this._catalog, programs, signal) };
  }

  protected override onChanges(): void {
    // A dialog does not follow the change feed.
  }
}

/** Formats what depends on a column as CSV, with a line of names. */
export function formatColumnImpactCsv({ columns, mayUse }: ColumnImpact): string {
  const certain = columns.map(({ dependency, namespace, name, column, level, transformation, program, urn }) => [
    dependency,
    'schemaField',
    namespace,
    name,
    column,
    String(level),
    transformation,
    program ?? '',
    urn
  ]);
  const possible = mayUse.map(({ type, namespace, name, title, urn }) => [
    'unknown',
    type,
    namespace,
    title ?? name,
    '',
    '',
    '',
    '',
    urn
  ]);
  const names = ['dependency', 'type', 'namespace', 'name', 'column', 'level', 'transformation', 'program', 'urn'];
  return formatCsv([names, ...certain, ...possible]);
}
