import { appendStep } from '../schemas/pointer';
import type { IValidationError } from '../problem';

/** A key with its value while being edited; the `id` never changes. */
export interface IPair {
  id: number;
  key: string;
  value: string;
}

/** Converts an object to pairs, in its order. */
export function toPairs(object: Readonly<Record<string, unknown>>, firstId: number): IPair[] {
  return Object.entries(object).map(([key, value], index) => ({
    id: firstId + index,
    key,
    value: typeof value === 'string' ? value : JSON.stringify(value)
  }));
}

/** Converts pairs to an object; pairs without a key are omitted. */
export function toObject(pairs: readonly IPair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(pair => pair.key !== '').map(pair => [pair.key, pair.value]));
}

/** Finds what an object cannot represent: a value without a key, and duplicate keys. */
export function findPairErrors(
  pointer: string,
  pairs: readonly IPair[],
  messages: { unnamed: string; twice: string }
): IValidationError[] {
  const keys = new Set<string>();
  const errors: IValidationError[] = [];
  for (const { key, value } of pairs) {
    if (key === '' && value !== '') {
      errors.push({ pointer: appendStep(pointer, ''), message: messages.unnamed });
    } else if (key !== '' && keys.has(key)) {
      errors.push({ pointer: appendStep(pointer, key), message: messages.twice });
    }
    keys.add(key);
  }
  return errors;
}
