import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { useModel } from '../../components/use-model';
import { parseTerms } from '../../model/search/query-terms';
import type { ISearchState, SearchModel } from './model';
import { focusSearch } from './focus-search';

interface IChip {
  id: string;
  label: string;
  value: string;
  remove: () => void;
}

/** Returns the title of a filter; filters that are not facets have their own titles. */
function getFilterLabel(name: string, { labels }: ISearchState, trans: TranslationBundle): string {
  const own: Record<string, string> = {
    certified: trans.__('Certified'),
    quality: trans.__('Quality'),
    owned: trans.__('Owned by'),
    state: trans.__('State'),
    assigned: trans.__('Assigned to')
  };
  return own[name] ?? trans.__(labels[name] ?? name);
}

/** Returns the label of a value that the server declares; undefined for others. */
function getChoiceLabel(name: string, value: string, trans: TranslationBundle): string | undefined {
  const choices: Record<string, Record<string, string>> = {
    certified: { yes: trans.__('yes'), expiring: trans.__('expires soon'), expired: trans.__('expired') },
    quality: {
      passing: trans.__('passing'),
      warning: trans.__('with warnings'),
      failing: trans.__('failing'),
      unknown: trans.__('not checked')
    },
    owned: { me: trans.__('me'), teams: trans.__('me and my teams') }
  };
  return choices[name]?.[value];
}

function getFilterValue(name: string, value: string, state: ISearchState, trans: TranslationBundle): string {
  const facet = state.facets[name]?.find(other => other.value === value);
  return name === 'type' ? getTypeLabel(value, trans) : (getChoiceLabel(name, value, trans) ?? facet?.name ?? value);
}

/** Lists what was understood: terms with a key, and filters. Bare words are read in the box. */
function listChips(model: SearchModel, trans: TranslationBundle): IChip[] {
  const { state } = model;
  const terms = parseTerms(state.text).filter(term => term.key !== null && term.value !== '');
  const filters = Object.entries(state.filters);
  return [
    ...terms.map(term => ({
      id: `term ${term.start}`,
      label: term.key ?? '',
      value: term.value,
      remove: () => model.removeTerm(term)
    })),
    ...filters.map(([name, value]) => ({
      id: `filter ${name}`,
      label: getFilterLabel(name, state, trans),
      value: getFilterValue(name, value, state, trans),
      remove: () => model.toggleFilter(name, value)
    }))
  ];
}

/** The filters and the terms with a key as chips, which can be removed. */
export function Chips({ model, trans }: { model: SearchModel; trans: TranslationBundle }): React.JSX.Element | null {
  useModel(model);
  const list = React.useRef<HTMLUListElement>(null);
  const chips = listChips(model, trans);
  return chips.length === 0 ? null : (
    <ul className="jp-Colophon-tags jp-Colophon-chips" aria-label={trans.__('Conditions')} ref={list}>
      {chips.map(({ id, label, value, remove }) => (
        <li key={id} className="jp-Colophon-tag jp-Colophon-chip">
          <span className="jp-Colophon-chipText" title={value}>
            {trans.__('%1: %2', label, value)}
          </span>
          <button
            type="button"
            className="jp-Colophon-icon-button"
            aria-label={trans.__('Remove the condition %1: %2', label, value)}
            onClick={() => {
              focusSearch(list.current);
              remove();
            }}
          >
            <closeIcon.react tag="span" width="10px" height="10px" />
          </button>
        </li>
      ))}
    </ul>
  );
}
