import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IMetadataService, IRegistry, ISearchSection } from '../../tokens';

/** Returns the sections of a registry, and renders the component again when they change. */
export function useSections(registry: IRegistry<ISearchSection> | null): readonly ISearchSection[] {
  const [items, setItems] = React.useState(() => registry?.items ?? []);
  React.useEffect(() => {
    const update = (): void => setItems(registry?.items ?? []);
    registry?.changed.connect(update);
    update();
    return () => {
      registry?.changed.disconnect(update);
    };
  }, [registry]);
  return items;
}

/** A section that an extension has added: its title, and its content as soon as it is loaded. */
export function AddedSection(props: {
  section: ISearchSection;
  metadata: IMetadataService;
  search: (query: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { section, metadata, search, trans } = props;
  return (
    <section aria-label={section.title}>
      <h3>{section.title}</h3>
      <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
        <section.component metadata={metadata} search={search} />
      </React.Suspense>
    </section>
  );
}
