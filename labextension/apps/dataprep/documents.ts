import type { ConnectionMember, ConnectionType } from './connection-fields';

/** A connection, with the members of its type. */
export interface IConnection extends Partial<Record<Exclude<ConnectionMember, 'header'>, string>> {
  name: string;
  type: ConnectionType;
  description?: string;
  header?: boolean;
}

/** A secret of the namespace, whose value is not readable. */
export interface ISecret {
  name: string;
  description: string;
}

/** An entry of a connection, such as a folder, a file, a table or a topic. */
export interface IEntry {
  name: string;
  type: string;
  /** Where it is, for browsing and sampling. */
  path: string;
  canBrowse: boolean;
  canSample: boolean;
  bytes?: number;
  partitions?: number;
  /** The type of the values of a column. */
  dataType?: string;
}

/** Where a sample was read; empty for given rows. */
interface ISource {
  connection?: string;
  path?: string;
}

/** A workspace in a list. */
export interface IWorkspaceSummary {
  id: string;
  name: string;
  source: ISource;
  canUndo: boolean;
  canRedo: boolean;
  updatedBy: string;
}

/** A workspace with its recipe. */
export interface IWorkspace extends IWorkspaceSummary {
  directives: string[];
}

/** A value of a row. */
export type Value = string | number | boolean | null;

/** A row that a directive could not process. */
interface IRejectedRow {
  line: number;
  directive: string;
  reason: string;
  row: Record<string, Value>;
}

/** Rows that the recipe makes of the sample. */
export interface IRowPage {
  columns: { name: string; type: string }[];
  rows: Value[][];
  rowCount: number;
  nextOffset: number | null;
  rejectedCount: number;
  rejected: IRejectedRow[];
}

/** What a column contains. */
export interface IProfile {
  name: string;
  type: string;
  count: number;
  nulls: number;
  empty: number;
  distinct: number;
  top: { value: Value; count: number }[];
  min?: Value;
  max?: Value;
  histogram?: { from: number; to: number; count: number }[];
}

/** A directive of the language, with its documentation. */
export interface IDirective {
  name: string;
  usage: string;
  description: string;
}

/** A directive that fits a column. */
export interface ISuggestion {
  directive: string;
  reason: string;
}

/** A value of a column, and what it is to become: a text, or the parts into which it is split. */
export interface IExample {
  input: string;
  output: string | string[];
}
