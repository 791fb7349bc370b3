import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { useModel } from '../../components/use-model';
import type { ISearchState, SearchModel } from './model';

const MAX_VALUES = 6;

interface IFacetProps {
  name: string;
  label: string;
  model: SearchModel;
  trans: TranslationBundle;
}

/** A value of a facet; `name` is the name of the entity that it refers to. */
interface IFacetValue {
  value: string;
  count: number;
  name?: string;
}

/** Lists the values to offer: the selected one, then the most frequent ones. */
function listValues(state: ISearchState, name: string): IFacetValue[] {
  const selected = state.filters[name];
  const counts: IFacetValue[] = (state.facets[name] ?? []).filter(({ value }) => value !== '').slice(0, MAX_VALUES);
  const isMissing = selected !== undefined && !counts.some(({ value }) => value === selected);
  return isMissing ? [{ value: selected, count: 0 }, ...counts] : counts;
}

function Facet({ name, label, model, trans }: IFacetProps): React.JSX.Element | null {
  const state = useModel(model);
  const values = listValues(state, name);
  // A single value leaves no choice.
  if (values.length < 2 && state.filters[name] === undefined) {
    return null;
  }
  return (
    <div role="group" className="jp-Colophon-tags" aria-label={label}>
      <span className="jp-Colophon-kind" aria-hidden="true">
        {label}
      </span>
      {values.map(({ value, count, name: referenceName }) => (
        <button
          key={value}
          type="button"
          className="jp-Colophon-tag jp-Colophon-toggle-tag"
          title={referenceName === undefined ? undefined : value}
          aria-pressed={state.filters[name] === value}
          onClick={() => model.toggleFilter(name, value)}
        >
          {name === 'type' ? getTypeLabel(value, trans) : (referenceName ?? value)}{' '}
          <span className="jp-Colophon-tagCount">{count}</span>
        </button>
      ))}
    </div>
  );
}

/** The facets of the result; each value filters the search. */
export function Facets(props: { model: SearchModel; trans: TranslationBundle }): React.JSX.Element | null {
  const state = useModel(props.model);
  return state.text.trim() === '' ? null : (
    <div className="jp-Colophon-facets">
      {Object.entries(state.labels).map(([name, label]) => (
        <Facet key={name} name={name} label={props.trans.__(label)} {...props} />
      ))}
    </div>
  );
}
