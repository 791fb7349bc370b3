import type { Descriptor } from '../generated/api';

/** The aspect in which a value of the vocabulary is stored. */
export type DescriptorSource = Pick<Descriptor, 'aspect' | 'scope'>;

/** A value of the vocabulary with all aspects that contain it. */
export interface IDescribedValue extends Pick<Descriptor, 'kind' | 'key' | 'name' | 'urn' | 'detail'> {
  sources: readonly DescriptorSource[];
}

/** Merges equal values of several aspects into one with several sources; user metadata comes first. */
export function mergeDescriptors(descriptors: readonly Descriptor[]): IDescribedValue[] {
  const values = new Map<string, IDescribedValue>();
  const byScope = [...descriptors].sort(
    (left, right) => Number(right.scope === 'USER') - Number(left.scope === 'USER')
  );
  for (const { kind, key, name, urn, detail, aspect, scope } of byScope) {
    const id = JSON.stringify([kind, key, name]);
    const { sources, ...value } = values.get(id) ?? { kind, key, name, urn, detail, sources: [] };
    const isKnown = sources.some(source => source.aspect === aspect && source.scope === scope);
    // Only some of the sources may have a reference.
    values.set(id, { ...value, urn: value.urn ?? urn, sources: isKnown ? sources : [...sources, { aspect, scope }] });
  }
  return [...values.values()];
}

/** Returns the scope of a value: USER unless all its sources are SYSTEM. */
export function getScope(value: IDescribedValue): Descriptor['scope'] {
  return value.sources.some(({ scope }) => scope === 'USER') ? 'USER' : 'SYSTEM';
}
