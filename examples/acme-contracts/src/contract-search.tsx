import type { ISearchSectionProps } from 'jupyter-colophon';
import React from 'react';

/** A search for all data that is tagged as covered by a contract. */
export function ContractSearch({ search }: ISearchSectionProps): React.JSX.Element {
  return (
    <button type="button" className="jp-Button" onClick={() => search('contracted')}>
      Data under contract
    </button>
  );
}
