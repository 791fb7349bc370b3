import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { Facets } from './filters';
import { Hits, Recent } from './hits';
import type { ISearchActions } from './index';
import { KeyList } from './keys';
import type { ISearchState, SearchModel } from './model';
import { SavedList, SaveSearch } from './saved';
import { focusSearch } from './focus-search';

interface ISearchProps {
  model: SearchModel;
  actions: ISearchActions;
  trans: TranslationBundle;
}

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: at => at - 1,
  Home: () => 0,
  End: (_, last) => last
};

/** Handles navigation: arrow keys move through the search box and all lists, Escape returns to the box. */
function handleKey(event: React.KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.jp-Colophon-item')];
  const box = event.currentTarget.querySelector<HTMLElement>('input[type="search"]');
  const index = items.indexOf(document.activeElement as HTMLElement);
  const inBox = document.activeElement === box;
  if (event.key === 'Escape' && !inBox) {
    box?.focus();
    return;
  }
  const step = inBox && event.key !== 'ArrowDown' ? undefined : STEPS[event.key];
  if (step && (inBox || index >= 0)) {
    event.preventDefault();
    const next = step(index, items.length - 1);
    (next < 0 ? box : items[next])?.focus();
  }
}

/** Returns the result as a sentence for a live region. */
function summarize(state: ISearchState, trans: TranslationBundle): string {
  if (state.problem || !state.answered) {
    return state.busy ? trans.__('Searching…') : '';
  }
  if (state.text.trim() === '') {
    return trans._n('%1 key', '%1 keys', state.keys.length);
  }
  return state.isLowerBound
    ? trans.__('At least %1 entities', state.total)
    : trans._n('%1 entity', '%1 entities', state.total);
}

function SearchBox({ model, trans }: ISearchProps): React.JSX.Element {
  const state = useModel(model);
  return (
    <div role="search" className="jp-Colophon-box">
      <input
        type="search"
        className="jp-mod-styled"
        aria-label={trans.__('Search metadata')}
        placeholder={trans.__('Key, tag, value or name')}
        spellCheck={false}
        autoComplete="off"
        maxLength={1000}
        value={state.text}
        onChange={event => model.setText(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            void model.refresh();
          }
        }}
      />
    </div>
  );
}

function KeySection({ model, trans }: ISearchProps): React.JSX.Element | null {
  const state = useModel(model);
  const section = React.useRef<HTMLElement>(null);
  if (state.keys.length === 0) {
    return null;
  }
  const pick = (key: Parameters<SearchModel['selectKey']>[0]): void => {
    focusSearch(section.current);
    void model.selectKey(key);
  };
  return (
    <section aria-label={trans.__('Keys')} ref={section}>
      <h3>{trans.__('Keys')}</h3>
      <KeyList keys={state.keys} pick={pick} trans={trans} />
      {state.moreKeys && <p className="jp-Colophon-note">{trans.__('Type a prefix to find more keys.')}</p>}
    </section>
  );
}

function EntitySection({ model, actions, trans }: ISearchProps): React.JSX.Element | null {
  const state = useModel(model);
  const open = (urn: string): void => actions.openEntity(urn);
  if (state.text.trim() === '') {
    return state.recent.length === 0 ? null : (
      <section aria-label={trans.__('Recent')}>
        <h3>{trans.__('Recent')}</h3>
        <Recent recent={state.recent} open={open} trans={trans} />
      </section>
    );
  }
  return state.hits.length === 0 ? null : (
    <section aria-label={trans.__('Entities')}>
      <h3>{state.selectedKey ? trans.__('Entities with %1', state.selectedKey.key) : trans.__('Entities')}</h3>
      <Hits hits={state.hits} open={open} trans={trans} />
      {state.cursor !== null && (
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={state.busy}
          onClick={() => void model.loadMore()}
        >
          {trans.__('More')}
        </button>
      )}
    </section>
  );
}

function EmptyNote({ model, trans }: ISearchProps): React.JSX.Element | null {
  const state = useModel(model);
  const isEmpty = state.keys.length + state.hits.length + state.recent.length === 0;
  if (!state.answered || state.busy || state.problem || !isEmpty) {
    return null;
  }
  return (
    <p className="jp-Colophon-note">
      {state.text.trim() === ''
        ? trans.__('The catalog is empty. Read or write a table in a notebook, or tag one with %metadata tag.')
        : trans.__('No results in keys, tags, values, names or columns.')}
    </p>
  );
}

/** The body of the search panel. */
export function SearchBody(props: ISearchProps): React.JSX.Element {
  const { model, trans } = props;
  const state = useModel(model);
  return (
    <div className="jp-Colophon-searchBody" onKeyDown={handleKey} aria-busy={state.busy}>
      <SearchBox {...props} />
      <p role="status" aria-live="polite" className="jp-Colophon-summary">
        {summarize(state, trans)}
      </p>
      <Facets model={model} trans={trans} />
      <SaveSearch model={model} trans={trans} askName={() => props.actions.askName()} />
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <div className="jp-Colophon-results">
        <SavedList model={model} trans={trans} />
        <KeySection {...props} />
        <EntitySection {...props} />
        <EmptyNote {...props} />
      </div>
    </div>
  );
}
