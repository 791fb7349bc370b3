import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { ICatalog } from '../tokens';
import type { AspectSpec, IDraftHome, IVersioned, IWritten } from './editor';
import { Editor } from './editor';
import { asProblem, CatalogProblem } from './problem';
import { writeAspect } from './write-aspect';

/** Where people describe the columns of a table. */
export const OF_FIELDS = 'editableSchemaMetadata';
const MEMBER = 'editableSchemaFieldInfo';
const TRIES = 3;

type Field = Record<string, ReadonlyJSONValue | undefined>;

/** Whether an aspect is one in which people describe an entity as a whole. */
export function isDescription(spec: Pick<AspectSpec, 'name' | 'scope' | 'schema'>): boolean {
  const properties: object = (spec.schema as { properties?: object }).properties ?? {};
  return spec.scope === 'USER' && /^editable\w+Properties$/.test(spec.name) && 'description' in properties;
}

function fieldsOf(value: ReadonlyJSONObject): Field[] {
  const fields = value[MEMBER];
  return Array.isArray(fields) ? (fields as Field[]) : [];
}

function describedAs(value: ReadonlyJSONObject, path: string): string {
  const description = fieldsOf(value).find(field => field['fieldPath'] === path)?.['description'];
  return typeof description === 'string' ? description : '';
}

/** The aspect with another description of one column; everything else of it stays. */
function withDescription(value: ReadonlyJSONObject, path: string, description: string): ReadonlyJSONObject {
  const fields = fieldsOf(value);
  const at = fields.findIndex(field => field['fieldPath'] === path);
  const others = Object.entries(fields[at] ?? { fieldPath: path }).filter(([name]) => name !== 'description');
  const changed: Field = { ...Object.fromEntries(others), ...(description === '' ? {} : { description }) };
  // What says nothing but its name says nothing.
  const kept = Object.keys(changed).length > 1 ? [changed] : [];
  const next = at < 0 ? [...fields, ...kept] : [...fields.slice(0, at), ...kept, ...fields.slice(at + 1)];
  return { ...value, [MEMBER]: next } as ReadonlyJSONObject;
}

/**
 * The description of one column, as the home of a draft.
 *
 * It is a part of an aspect of the table: edits of other columns by somebody else in the meantime are not a conflict.
 */
class ColumnDescriptionHome implements IDraftHome {
  constructor(
    private _catalog: ICatalog,
    private _table: string,
    private _path: string
  ) {}

  async read(): Promise<IWritten> {
    const { version, value, actor, time } = await this._aspect();
    this._seen = describedAs(value, this._path);
    return { version, actor, time, value: this._seen === '' ? {} : { description: this._seen } };
  }

  async write(draft: ReadonlyJSONObject): Promise<IVersioned> {
    const description = typeof draft['description'] === 'string' ? draft['description'].trim() : '';
    for (let left = TRIES; ; left--) {
      const { version, value } = await this._aspect();
      if (describedAs(value, this._path) !== this._seen) {
        throw new CatalogProblem('conflict', '', 412);
      }
      try {
        const next = withDescription(value, this._path, description);
        await writeAspect(this._catalog, this._table, OF_FIELDS, next, version ?? 0);
        this._seen = description;
        return { version, value: description === '' ? {} : { description } };
      } catch (reason) {
        if (asProblem(reason).kind !== 'conflict' || left <= 1) {
          throw reason;
        }
      }
    }
  }

  private async _aspect(): Promise<IWritten> {
    try {
      return await this._catalog.call('readAspect', { urn: this._table, aspect: OF_FIELDS });
    } catch (reason) {
      if (asProblem(reason).kind === 'absent') {
        return { version: 0, value: { [MEMBER]: [] }, actor: '', time: '' };
      }
      throw reason;
    }
  }

  private _seen = '';
}

/** The description of one column being edited. */
export class ColumnDescriptionEditor extends Editor {
  private constructor(
    home: ColumnDescriptionHome,
    base: IVersioned,
    readonly urn: string,
    readonly spec: AspectSpec
  ) {
    super(home, base);
  }

  /** Reads the present description. Rejects with a `CatalogProblem`. */
  static async open(
    catalog: ICatalog,
    column: { urn: string; table: string; path: string },
    title: string
  ): Promise<ColumnDescriptionEditor> {
    const home = new ColumnDescriptionHome(catalog, column.table, column.path);
    const schema = { type: 'object', properties: { description: { type: 'string', title } } };
    const spec: AspectSpec = {
      ...{
        name: OF_FIELDS,
        title: column.path,
        scope: 'USER' as const,
        key: false,
        editableByDefault: true,
        timeseries: false
      },
      ...{ uihints: {}, schema, described: [] }
    };
    return new ColumnDescriptionEditor(home, await home.read(), column.urn, spec);
  }
}
