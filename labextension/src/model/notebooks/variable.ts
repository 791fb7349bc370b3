import { decodePart } from '../urns';

/** A variable of a notebook as a cell left it: namespace, path, cell and name. */
const VARIABLE_URN = /^urn:li:dataset:\(urn:li:dataPlatform:notebook,([^,()]+),[^,()]*\)$/;

/** A variable of a notebook, parsed from its URN. */
interface IVariable {
  name: string;
  /** The id of the cell that left it so. */
  cell: string;
}

/** Parses the URN of a variable; null for other URNs. */
export function parseVariable(urn: string): IVariable | null {
  const [, text] = VARIABLE_URN.exec(urn) ?? [];
  const [, cell, name] = text === undefined ? [] : (/#([^#]+)#([^#]+)$/.exec(decodePart(text)) ?? []);
  return cell === undefined || name === undefined ? null : { cell, name };
}

/** Returns the data that are no variables of notebooks: files, tables and others that have a page. */
export function omitVariables<T extends { urn: string }>(data: readonly T[]): T[] {
  return data.filter(({ urn }) => parseVariable(urn) === null);
}
