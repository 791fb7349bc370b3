import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon, checkIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { useModel } from '../../components/use-model';
import type { ISearchState, SearchModel } from './model';

/** Facets with a button of their own; the others share one. */
const MAX_BUTTONS = 3;
/** Lists of more values can be searched. */
const MAX_PLAIN_VALUES = 8;

interface IFilterProps {
  model: SearchModel;
  trans: TranslationBundle;
}

/** A value of a facet. */
interface IFacetValue {
  value: string;
  label: string;
  count: number;
  /** Whether only machines wrote it. */
  bySystem: boolean;
}

/** Lists the values to offer: the selected one, and the most frequent ones. */
function listValues(state: ISearchState, name: string, trans: TranslationBundle): IFacetValue[] {
  const selected = state.filters[name];
  const counts = (state.facets[name] ?? []).filter(({ value }) => value !== '');
  const isMissing = selected !== undefined && !counts.some(({ value }) => value === selected);
  const missing: typeof counts = isMissing ? [{ value: selected, count: 0 }] : [];
  return [...missing, ...counts].map(facet => ({
    value: facet.value,
    label: name === 'type' ? getTypeLabel(facet.value, trans) : (facet.name ?? facet.value),
    count: facet.count,
    bySystem: facet.bySystem === true && facet.value !== selected
  }));
}

/** Lists the facets that leave a choice, or that filter. */
function listFacets(state: ISearchState, trans: TranslationBundle): string[] {
  return Object.keys(state.labels).filter(
    name => state.filters[name] !== undefined || listValues(state, name, trans).length > 1
  );
}

/** Shows or hides the values that only machines wrote. */
function MoreValues(props: {
  count: number;
  isOpen: boolean;
  toggle: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { count, isOpen, toggle, trans } = props;
  return (
    <button type="button" className="jp-Colophon-facet-more" aria-expanded={isOpen} onClick={toggle}>
      {trans._n('%1 more, written by programs', '%1 more, written by programs', count)}
      <caretDownEmptyIcon.react tag="span" width="14px" height="14px" />
    </button>
  );
}

function ValueList(props: IFilterProps & { name: string; label: string; close: () => void }): React.JSX.Element {
  const { model, trans, name, label, close } = props;
  const state = useModel(model);
  const [typed, setTyped] = React.useState('');
  const [hasMore, setHasMore] = React.useState(false);
  const values = listValues(state, name, trans);
  const matching = values.filter(value => value.label.toLowerCase().includes(typed.trim().toLowerCase()));
  const folded = matching.filter(({ bySystem }) => bySystem);
  const shown = [...matching.filter(({ bySystem }) => !bySystem), ...(hasMore ? folded : [])];
  const choose = (value: string): void => {
    model.toggleFilter(name, value);
    close();
  };
  return (
    <div role="group" aria-label={label}>
      <h4>{label}</h4>
      {values.length > MAX_PLAIN_VALUES && (
        <input
          type="text"
          className="jp-mod-styled"
          aria-label={trans.__('Find a value of %1', label)}
          placeholder={trans.__('Find a value')}
          spellCheck={false}
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
      )}
      <ul>
        {shown.map(({ value, label: text, count }) => (
          <li key={value}>
            <button
              type="button"
              className="jp-Colophon-facet-value"
              aria-pressed={state.filters[name] === value}
              title={text === value ? undefined : value}
              onClick={() => choose(value)}
            >
              <span className="jp-Colophon-facet-mark">
                {state.filters[name] === value && <checkIcon.react tag="span" width="12px" height="12px" />}
              </span>
              <span className="jp-Colophon-facet-label">{text}</span> <span className="jp-Colophon-count">{count}</span>
            </button>
          </li>
        ))}
      </ul>
      {folded.length > 0 && (
        <MoreValues count={folded.length} isOpen={hasMore} toggle={() => setHasMore(!hasMore)} trans={trans} />
      )}
      {matching.length === 0 && (
        <p className="jp-Colophon-note">{trans.__('No such value among the most frequent ones.')}</p>
      )}
    </div>
  );
}

interface IPopoverProps extends IFilterProps {
  names: readonly string[];
  label: string;
  close: () => void;
}

/** The values of facets; it closes when the focus leaves it, or by Escape. */
function Popover({ model, trans, names, label, close }: IPopoverProps): React.JSX.Element {
  const { labels } = useModel(model);
  const element = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => element.current?.querySelector<HTMLElement>('input, button')?.focus(), []);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    event.stopPropagation();
    const buttons = [...(element.current?.querySelectorAll<HTMLElement>('input, button') ?? [])];
    const index = buttons.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      close();
    } else if (step !== undefined) {
      event.preventDefault();
      buttons[Math.max(0, Math.min(buttons.length - 1, index + step))]?.focus();
    }
  };
  return (
    <div ref={element} role="dialog" aria-label={label} className="jp-Colophon-popover" onKeyDown={onKeyDown}>
      {names.map(name => (
        <ValueList
          key={name}
          model={model}
          trans={trans}
          name={name}
          label={trans.__(labels[name] ?? name)}
          close={close}
        />
      ))}
    </div>
  );
}

function FilterButton(props: IFilterProps & { names: readonly string[]; label: string }): React.JSX.Element {
  const { model, trans, names, label } = props;
  const { filters } = useModel(model);
  const [isOpen, setOpen] = React.useState(false);
  const button = React.useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="jp-Colophon-filter"
      onBlur={event => {
        if (isOpen && !event.currentTarget.contains(event.relatedTarget)) {
          setOpen(false);
        }
      }}
    >
      <button
        ref={button}
        type="button"
        className="jp-Colophon-filter-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-active={names.some(name => filters[name] !== undefined)}
        // Safari does not focus buttons on click, and the popover closes by focus.
        onMouseDown={event => event.preventDefault()}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        <caretDownEmptyIcon.react tag="span" width="14px" height="14px" />
      </button>
      {isOpen && (
        <Popover
          model={model}
          trans={trans}
          names={names}
          label={names.length === 1 ? trans.__('Filter by %1', label) : trans.__('More filters')}
          close={close}
        />
      )}
    </div>
  );
}

/** A filter that is on or off. */
function FilterToggle(props: IFilterProps & { name: string; value: string; label: string }): React.JSX.Element {
  const { model, name, value, label } = props;
  const { filters } = useModel(model);
  return (
    <button
      type="button"
      className="jp-Colophon-filter-button"
      aria-pressed={filters[name] === value}
      data-active={filters[name] === value}
      onClick={() => model.toggleFilter(name, value)}
    >
      {label}
    </button>
  );
}

/** The filters in one row: a button for each of the first facets, one for the others, and those that are on or off. */
export function Filters(props: IFilterProps): React.JSX.Element {
  const { model, trans } = props;
  const state = useModel(model);
  const names = listFacets(state, trans);
  const others = names.slice(MAX_BUTTONS);
  return (
    <div className="jp-Colophon-searchFilters" role="group" aria-label={trans.__('Filters')}>
      {names.slice(0, MAX_BUTTONS).map(name => (
        <FilterButton key={name} {...props} names={[name]} label={trans.__(state.labels[name] ?? name)} />
      ))}
      {others.length > 0 && <FilterButton {...props} names={others} label={trans.__('More')} />}
      <FilterToggle {...props} name="certified" value="yes" label={trans.__('Certified')} />
      <FilterToggle {...props} name="quality" value="failing" label={trans.__('Failing checks')} />
      <FilterToggle {...props} name="owned" value="teams" label={trans.__('Mine')} />
    </div>
  );
}
