import type { Descriptor } from '../generated/api';

/** Where a value of the vocabulary is stored. */
export type DescriptorSource = Pick<Descriptor, 'aspect' | 'scope'>;

/** A value of the vocabulary with every aspect that has it. */
export interface IDescribedValue extends Pick<Descriptor, 'kind' | 'key' | 'name' | 'urn' | 'detail'> {
  sources: readonly DescriptorSource[];
}

/** Merges equal values of several aspects into one with several sources; user metadata comes first. */
export function mergeDescriptors(descriptors: readonly Descriptor[]): IDescribedValue[] {
  const values = new Map<string, IDescribedValue>();
  const byScope = [...descriptors].sort((one, other) => Number(other.scope === 'USER') - Number(one.scope === 'USER'));
  for (const { kind, key, name, urn, detail, aspect, scope } of byScope) {
    const id = JSON.stringify([kind, key, name]);
    const { sources, ...value } = values.get(id) ?? { kind, key, name, urn, detail, sources: [] };
    const isKnown = sources.some(source => source.aspect === aspect && source.scope === scope);
    // A reference leads somewhere, a text of the same name does not.
    values.set(id, { ...value, urn: value.urn ?? urn, sources: isKnown ? sources : [...sources, { aspect, scope }] });
  }
  return [...values.values()];
}

/** Who describes: people, unless all sources are machines. */
export function scopeOf(value: IDescribedValue): Descriptor['scope'] {
  return value.sources.some(({ scope }) => scope === 'USER') ? 'USER' : 'SYSTEM';
}
