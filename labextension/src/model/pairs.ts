import { stepInto } from './pointer';
import type { IFault } from './problem';

/** A key and its value while they are edited; `id` stays the same whatever is typed. */
export interface IPair {
  id: number;
  key: string;
  value: string;
}

/** An object as pairs, in its own order. */
export function pairsOf(object: Readonly<Record<string, unknown>>, firstId: number): IPair[] {
  return Object.entries(object).map(([key, value], index) => ({
    id: firstId + index,
    key,
    value: typeof value === 'string' ? value : JSON.stringify(value)
  }));
}

/** Pairs as an object; a pair without a key is not in it. */
export function objectOf(pairs: readonly IPair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(pair => pair.key !== '').map(pair => [pair.key, pair.value]));
}

/** What no object can say: a value without a key, and a key that stands twice. */
export function pairFaults(
  pointer: string,
  pairs: readonly IPair[],
  words: { unnamed: string; twice: string }
): IFault[] {
  const seen = new Set<string>();
  const faults: IFault[] = [];
  for (const { key, value } of pairs) {
    if (key === '' && value !== '') {
      faults.push({ pointer: stepInto(pointer, ''), message: words.unnamed });
    } else if (key !== '' && seen.has(key)) {
      faults.push({ pointer: stepInto(pointer, key), message: words.twice });
    }
    seen.add(key);
  }
  return faults;
}
