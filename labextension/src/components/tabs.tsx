import React from 'react';

/** A tab of a page. */
export interface ITab {
  id: string;
  label: string;
  /** A number after the label. */
  count?: number | undefined;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Returns the index of the tab that a key selects; undefined for other keys. */
function getTarget(key: string, current: number, count: number): number | undefined {
  const step = STEPS[key];
  if (step !== undefined) {
    return (current + step + count) % count;
  }
  return key === 'Home' ? 0 : key === 'End' ? count - 1 : undefined;
}

/** Tabs with the panel of the selected one (WAI-ARIA tabs); arrow keys, Home and End select a tab. */
export function Tabs(props: {
  /** The prefix of the ids of the elements. */
  id: string;
  label: string;
  tabs: readonly ITab[];
  selected: string;
  select: (id: string) => void;
  children: React.ReactNode;
}): React.JSX.Element {
  const { id, label, tabs, selected, select, children } = props;
  const list = React.useRef<HTMLDivElement>(null);
  const current = tabs.findIndex(tab => tab.id === selected);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const target = getTarget(event.key, current, tabs.length);
    const tab = target === undefined ? undefined : tabs[target];
    if (tab) {
      event.preventDefault();
      select(tab.id);
      list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(tab.id)}"]`)?.focus();
    }
  };
  return (
    <>
      <div className="jp-Colophon-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(tab => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-tab-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => select(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span className="jp-Colophon-tabCount">{tab.count.toLocaleString()}</span>}
          </button>
        ))}
      </div>
      <div
        className="jp-Colophon-tabPanel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${selected}`}
        tabIndex={0}
      >
        {children}
      </div>
    </>
  );
}
