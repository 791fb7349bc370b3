import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { typeWord } from '../../components/words';
import { useModel } from '../../components/use-model';
import type { ISearchState, SearchModel } from './model';

const SHOWN = 6;

interface IFacetProps {
  name: string;
  label: string;
  model: SearchModel;
  trans: TranslationBundle;
}

/** A value of a facet; of a reference with the name of what it refers to. */
interface IFacetValue {
  value: string;
  count: number;
  name?: string;
}

/** The values to offer: the most frequent first, and the picked one whether it is among them or not. */
function offered(state: ISearchState, name: string): IFacetValue[] {
  const picked = state.filters[name];
  const counts: IFacetValue[] = (state.facets[name] ?? []).filter(one => one.value !== '').slice(0, SHOWN);
  const lost = picked !== undefined && !counts.some(one => one.value === picked);
  return lost ? [{ value: picked, count: 0 }, ...counts] : counts;
}

function Facet({ name, label, model, trans }: IFacetProps): React.JSX.Element | null {
  const state = useModel(model);
  const values = offered(state, name);
  // One value for all leaves nothing to choose.
  if (values.length < 2 && state.filters[name] === undefined) {
    return null;
  }
  return (
    <div role="group" className="jp-Colophon-tags" aria-label={label}>
      <span className="jp-Colophon-kind" aria-hidden="true">
        {label}
      </span>
      {values.map(({ value, count, name: referred }) => (
        <button
          key={value}
          type="button"
          className="jp-Colophon-tag jp-Colophon-pick"
          title={referred === undefined ? undefined : value}
          aria-pressed={state.filters[name] === value}
          onClick={() => model.toggleFilter(name, value)}
        >
          {name === 'type' ? typeWord(value, trans) : (referred ?? value)}{' '}
          <span className="jp-Colophon-tagCount">{count}</span>
        </button>
      ))}
    </div>
  );
}

/** What the matches have in common, counted; each value narrows the search down to what has it. */
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
