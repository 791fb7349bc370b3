import { useCallback, useSyncExternalStore } from 'react';
import type { IRegistry, IRegistryItem } from '../tokens';

const NO_ITEMS: readonly never[] = [];

/** Returns the items of a registry, and renders the component again when they change; none without a registry. */
export function useRegistry<T extends IRegistryItem>(registry: IRegistry<T> | null): readonly T[] {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const listener = (): void => onChange();
      registry?.changed.connect(listener);
      return () => {
        registry?.changed.disconnect(listener);
      };
    },
    [registry]
  );
  return useSyncExternalStore(subscribe, () => registry?.items ?? NO_ITEMS);
}
