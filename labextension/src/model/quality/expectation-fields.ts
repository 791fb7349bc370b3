import type { TranslationBundle } from '@jupyterlab/translation';
import type { DurationUnit } from './duration';
import { formatIsoDuration, parseDuration } from './duration';
import type { ExpectationKind, IExpectation, IExpectedColumn, Scalar, Severity } from './quality';

/** The kinds that users write; `other` is imported only. */
export const WRITABLE_KINDS = [
  'notNull',
  'unique',
  'range',
  'set',
  'pattern',
  'freshness',
  'rowCount',
  'columns'
] as const satisfies readonly ExpectationKind[];

/** The fields of the form, as texts that users enter. */
export interface IExpectationFields {
  kind: ExpectationKind;
  column: string;
  min: string;
  max: string;
  /** One value a line. */
  values: string;
  pattern: string;
  maxAge: string;
  unit: DurationUnit;
  /** In percent. */
  tolerance: string;
  /** One column a line: the name, and its type. */
  columns: string;
  severity: Severity;
  description: string;
}

export type FieldName = keyof IExpectationFields;

/** The fields that each kind has besides those of all kinds. */
const FIELDS: Record<ExpectationKind, readonly FieldName[]> = {
  notNull: ['column', 'tolerance'],
  unique: ['column', 'tolerance'],
  range: ['column', 'min', 'max', 'tolerance'],
  set: ['column', 'values', 'tolerance'],
  pattern: ['column', 'pattern', 'tolerance'],
  freshness: ['column', 'maxAge'],
  rowCount: ['min', 'max'],
  columns: ['columns'],
  other: []
};

/** The fields that every kind has. */
export const COMMON_FIELDS = ['severity', 'description'] as const satisfies readonly FieldName[];

/** Whether an expectation of a kind has a field. */
export function hasField(kind: ExpectationKind, field: FieldName): boolean {
  return FIELDS[kind].includes(field);
}

const EMPTY: IExpectationFields = {
  ...{ kind: 'notNull', column: '', min: '', max: '', values: '', pattern: '', maxAge: '', unit: 'days' },
  ...{ tolerance: '', columns: '', severity: 'error', description: '' }
};

/** Returns the fields of an expectation; null for those of a new one. */
export function toFields(expectation: IExpectation | null): IExpectationFields {
  if (expectation === null) {
    return EMPTY;
  }
  const { min, max, values = [], maxAge = '', tolerance = 0, columns = [], ...texts } = expectation;
  const age = parseDuration(maxAge);
  return {
    ...EMPTY,
    ...texts,
    min: String(min ?? ''),
    max: String(max ?? ''),
    values: values.map(String).join('\n'),
    ...(age === null ? {} : { maxAge: String(age.count), unit: age.unit }),
    // 0.07 * 100 is not 7.
    tolerance: tolerance === 0 ? '' : String(Number((tolerance * 100).toPrecision(12))),
    columns: columns.map(({ name, type }) => (type === undefined ? name : `${name} ${type}`)).join('\n')
  };
}

const TEXT_TYPE = /^(string|varchar|char|text|utf8|object|str)\b/i;

/** Reads a value in the type of its column: a number where it may be one. */
function readScalar(text: string, type: string): Scalar {
  if (/^bool/i.test(type) && (text === 'true' || text === 'false')) {
    return text === 'true';
  }
  return TEXT_TYPE.test(type) || text.trim() === '' || !Number.isFinite(Number(text)) ? text : Number(text);
}

function listLines(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
}

function readColumn(line: string): IExpectedColumn {
  const [name = '', ...type] = line.split(/\s+/);
  return type.length === 0 ? { name } : { name, type: type.join(' ') };
}

/** An expectation as the form has it, with the errors of fields. */
export interface IReadFields {
  expectation: IExpectation;
  errors: Partial<Record<FieldName, string>>;
}

/** Reads fields one by one. */
class FieldReader {
  readonly errors: Partial<Record<FieldName, string>> = {};

  constructor(
    private _fields: IExpectationFields,
    private _type: string,
    private _trans: TranslationBundle
  ) {}

  read(field: FieldName): Partial<IExpectation> {
    const text = this._fields[field].trim();
    switch (field) {
      case 'column':
        return this._require(field, text, this._trans.__('Choose a column.'), { column: text });
      case 'pattern':
        return this._require(field, text, this._trans.__('Enter a regular expression.'), { pattern: text });
      case 'values':
        return this._readValues(text);
      case 'columns':
        return this._require(field, text, this._trans.__('Enter at least one column.'), {
          columns: listLines(text).map(readColumn)
        });
      case 'min':
      case 'max':
        return this._readBound(field, text);
      case 'maxAge':
        return this._readAge(text);
      case 'tolerance':
        return this._readTolerance(text);
      case 'description':
        return text === '' ? {} : { description: text };
      default:
        return {};
    }
  }

  private _require(field: FieldName, text: string, error: string, read: Partial<IExpectation>): Partial<IExpectation> {
    if (text !== '') {
      return read;
    }
    this.errors[field] = error;
    return {};
  }

  private _readValues(text: string): Partial<IExpectation> {
    const values = [...new Set(listLines(text).map(line => readScalar(line, this._type)))];
    return this._require('values', text, this._trans.__('Enter at least one value.'), { values });
  }

  private _readBound(field: 'min' | 'max', text: string): Partial<IExpectation> {
    const { kind, min, max } = this._fields;
    if (kind === 'rowCount' && text !== '' && !/^\d+$/.test(text)) {
      this.errors[field] = this._trans.__('Enter a whole number of rows.');
      return {};
    }
    if (min.trim() === '' && max.trim() === '') {
      this.errors['min'] = this._trans.__('Enter a minimum, a maximum, or both.');
    }
    return text === '' ? {} : { [field]: kind === 'rowCount' ? Number(text) : readScalar(text, this._type) };
  }

  private _readAge(text: string): Partial<IExpectation> {
    if (!/^[1-9]\d*$/.test(text)) {
      this.errors['maxAge'] = this._trans.__('Enter a whole number greater than 0.');
      return {};
    }
    return { maxAge: formatIsoDuration({ count: Number(text), unit: this._fields.unit }) };
  }

  private _readTolerance(text: string): Partial<IExpectation> {
    const percent = Number(text);
    if (!(percent >= 0 && percent < 100)) {
      this.errors['tolerance'] = this._trans.__('Enter a percentage from 0 to less than 100.');
      return {};
    }
    return percent === 0 ? {} : { tolerance: Number((percent / 100).toPrecision(12)) };
  }
}

/**
 * Reads the fields of the form.
 *
 * @param type - The type of the column in the schema; empty if it is unknown.
 * @param origin - The tool that the expectation was imported from.
 */
export function readFields(
  fields: IExpectationFields,
  type: string,
  origin: string | undefined,
  trans: TranslationBundle
): IReadFields {
  const { kind, severity } = fields;
  const reader = new FieldReader(fields, type, trans);
  const members = [...FIELDS[kind], 'description' as const].map(field => reader.read(field));
  const start: IExpectation = {
    kind,
    ...(origin === undefined ? {} : { origin }),
    ...(severity === 'error' ? {} : { severity })
  };
  const expectation = members.reduce<IExpectation>((read, member) => ({ ...read, ...member }), start);
  return { expectation, errors: reader.errors };
}

/** The longest id. */
const MAX_ID = 128;

/** Characters after an id for the number that makes it unique. */
const ID_RESERVE = 8;

/** Returns an id for a new expectation: its column and kind, such as `amount-range`. */
export function createExpectationId({ kind, column }: IExpectation, taken: (id: string) => boolean): string {
  const words = [column ?? '', kind.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)];
  const name = words
    .filter(word => word !== '')
    .join('-')
    .replace(/[^A-Za-z0-9_.:-]+/g, '_')
    .slice(-(MAX_ID - ID_RESERVE));
  let id = name;
  for (let number = 2; taken(id); number++) {
    id = `${name}-${number}`;
  }
  return id;
}
