import React from 'react';
import type { DisplayNames } from '../model/display-names';
import { useModel } from './use-model';

/** Returns the names by which people know the entities of a list, as far as they are known. */
export function useDisplayNames(names: DisplayNames, urns: readonly string[]): ReadonlyMap<string, string> {
  const key = urns.join('\n');
  React.useEffect(() => names.request(key === '' ? [] : key.split('\n')), [names, key]);
  return useModel(names);
}
