import { parseVariable } from '../model/notebooks/variable';
import { shortenUrn } from '../model/urns';
import { getLastPart } from './labels';

/** Returns the short name of data: of a table or a variable its name, of a file the last part of its path. */
export function getDataLabel(urn: string): string {
  return parseVariable(urn)?.name ?? getLastPart(shortenUrn(urn));
}
