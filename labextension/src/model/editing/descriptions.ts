import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { ICatalog } from '../../tokens';
import type { AspectSpec, IDraftStore, IVersioned, IAttributedVersion } from './editor';
import { Editor } from './editor';
import { toProblem, CatalogProblem } from '../problem';
import { writeAspect } from './write-aspect';

/** The aspect with the descriptions of columns by users. */
export const COLUMN_DESCRIPTIONS = 'editableSchemaMetadata';
const FIELDS_MEMBER = 'editableSchemaFieldInfo';
const MAX_ATTEMPTS = 3;

type Field = Record<string, ReadonlyJSONValue | undefined>;

/** Whether users describe a whole entity in an aspect. */
export function isDescription(spec: Pick<AspectSpec, 'name' | 'scope' | 'schema'>): boolean {
  const properties: object = (spec.schema as { properties?: object }).properties ?? {};
  return spec.scope === 'USER' && /^editable\w+Properties$/.test(spec.name) && 'description' in properties;
}

function listFields(value: ReadonlyJSONObject): Field[] {
  const fields = value[FIELDS_MEMBER];
  return Array.isArray(fields) ? (fields as Field[]) : [];
}

function getDescription(value: ReadonlyJSONObject, path: string): string {
  const description = listFields(value).find(field => field['fieldPath'] === path)?.['description'];
  return typeof description === 'string' ? description : '';
}

/** Returns the aspect with another description of one column. */
function setDescription(value: ReadonlyJSONObject, path: string, description: string): ReadonlyJSONObject {
  const fields = listFields(value);
  const index = fields.findIndex(field => field['fieldPath'] === path);
  const others = Object.entries(fields[index] ?? { fieldPath: path }).filter(([name]) => name !== 'description');
  const changed: Field = { ...Object.fromEntries(others), ...(description === '' ? {} : { description }) };
  // An entry without further members is removed.
  const entry = Object.keys(changed).length > 1 ? [changed] : [];
  const next = index < 0 ? [...fields, ...entry] : [...fields.slice(0, index), ...entry, ...fields.slice(index + 1)];
  return { ...value, [FIELDS_MEMBER]: next } as ReadonlyJSONObject;
}

/**
 * Stores the description of one column.
 *
 * It is a part of an aspect of the table: concurrent edits of other columns are not a conflict.
 */
class ColumnDescriptionStore implements IDraftStore {
  constructor(
    private _catalog: ICatalog,
    private _table: string,
    private _path: string
  ) {}

  async read(): Promise<IAttributedVersion> {
    const { version, value, actor, time } = await this._readAspect();
    this._knownDescription = getDescription(value, this._path);
    return {
      version,
      actor,
      time,
      value: this._knownDescription === '' ? {} : { description: this._knownDescription }
    };
  }

  async write(draft: ReadonlyJSONObject): Promise<IVersioned> {
    const description = typeof draft['description'] === 'string' ? draft['description'].trim() : '';
    for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft--) {
      const { version, value } = await this._readAspect();
      if (getDescription(value, this._path) !== this._knownDescription) {
        throw new CatalogProblem('conflict', '', 412);
      }
      try {
        const next = setDescription(value, this._path, description);
        await writeAspect(this._catalog, this._table, COLUMN_DESCRIPTIONS, next, version ?? 0);
        this._knownDescription = description;
        return { version, value: description === '' ? {} : { description } };
      } catch (reason) {
        if (toProblem(reason).kind !== 'conflict' || attemptsLeft <= 1) {
          throw reason;
        }
      }
    }
  }

  private async _readAspect(): Promise<IAttributedVersion> {
    try {
      return await this._catalog.call('readAspect', { urn: this._table, aspect: COLUMN_DESCRIPTIONS });
    } catch (reason) {
      if (toProblem(reason).kind === 'not-found') {
        return { version: 0, value: { [FIELDS_MEMBER]: [] }, actor: '', time: '' };
      }
      throw reason;
    }
  }

  private _knownDescription = '';
}

/** An editor for the description of one column. */
export class ColumnDescriptionEditor extends Editor {
  private constructor(
    home: ColumnDescriptionStore,
    base: IVersioned,
    readonly urn: string,
    readonly spec: AspectSpec
  ) {
    super(home, base);
  }

  /** Reads the current description. Rejects with a `CatalogProblem`. */
  static async open(
    catalog: ICatalog,
    column: { urn: string; table: string; path: string },
    title: string
  ): Promise<ColumnDescriptionEditor> {
    const home = new ColumnDescriptionStore(catalog, column.table, column.path);
    const schema = { type: 'object', properties: { description: { type: 'string', title } } };
    const spec: AspectSpec = {
      ...{
        name: COLUMN_DESCRIPTIONS,
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
