import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IMetadataService, ISearchSection } from '../../tokens';

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
