import type { IColumn } from '../../lineage/columns';
import {
  FIRST_COLUMNS,
  getFieldId,
  listColumns,
  NEXT_COLUMNS,
  selectColumns,
  traceColumn
} from '../../lineage/columns';
import type { IGraph } from '../../lineage/graph';
import type { CardColumns } from '../../lineage/scene';
import type { ICatalog } from '../../tokens';

/** The number of tables whose columns are shown at once. */
const MAX_TABLES = 60;

/** Which cards show which columns. */
export class CardColumnChoice {
  constructor(private _catalog: ICatalog) {}

  /** Whether a card differs from the others. */
  get isIndividual(): boolean {
    return this._toggled.size > 0;
  }

  /** Shows the columns of a table if the others do not, or the reverse. */
  toggle(urn: string): void {
    if (!this._toggled.delete(urn)) {
      this._toggled.add(urn);
    }
  }

  /** Makes all cards equal. */
  reset(): void {
    this._toggled.clear();
  }

  /** Shows more columns of a table. */
  showMore(urn: string): void {
    this._rooms.set(urn, (this._rooms.get(urn) ?? FIRST_COLUMNS) + NEXT_COLUMNS);
  }

  /** Loads the names of all columns of a table; a failure leaves those with lineage. */
  async loadSchema(urn: string): Promise<void> {
    if (this._schemas.has(urn)) {
      return;
    }
    try {
      const { value } = await this._catalog.call('readAspect', { urn, aspect: 'schemaMetadata' });
      const fields = (value as { fields?: { fieldPath?: unknown }[] }).fields ?? [];
      this._schemas.set(
        urn,
        fields.flatMap(({ fieldPath }) => (typeof fieldPath === 'string' ? [fieldPath] : []))
      );
    } catch {
      this._schemas.set(urn, []);
    }
  }

  /** Returns the columns of the cards that show them; those on the path of `column` in any case. */
  select(graph: IGraph, isDefault: boolean, column: IColumn | null): CardColumns {
    const lineage = listColumns(graph);
    const path = column ? traceColumn(graph.columns, column) : null;
    const tables = graph.nodes
      .filter(node => node.type === 'dataset')
      .sort((a, b) => Math.abs(a.level) - Math.abs(b.level));
    const cards = new Map<string, ReturnType<typeof selectColumns>>();
    for (const { urn } of tables) {
      const isToggled = this._toggled.has(urn);
      const own = lineage.get(urn) ?? [];
      const isOpen = isDefault ? !isToggled && own.length > 0 && cards.size < MAX_TABLES : isToggled;
      if (isOpen) {
        const all = [...new Set([...own, ...(this._schemas.get(urn) ?? [])])];
        const kept = new Set(all.filter(field => path?.fields.has(getFieldId({ urn, field }))));
        cards.set(urn, selectColumns(all, this._rooms.get(urn) ?? FIRST_COLUMNS, kept));
      }
    }
    return cards;
  }

  private _toggled = new Set<string>();
  private _rooms = new Map<string, number>();
  /** The names of all columns of a table, by URN. */
  private _schemas = new Map<string, readonly string[]>();
}
