import React from 'react';
import { ColumnsTab } from './columns/columns-tab';
import { History } from './history';
import { LineageTab } from './lineage/lineage-tab';
import { Overview } from './overview';
import type { IPageProps } from './page';
import { PageContext } from './page';
import { Raw } from './metadata/raw';
import { Runs } from './runs/runs';

/** Makes a part of the page a tab of the registry. */
function toTab(Part: React.ComponentType<IPageProps>): React.ComponentType {
  return () => {
    const page = React.useContext(PageContext);
    return page && <Part page={page} />;
  };
}

/** The views of our own tabs, by name. */
export const TAB_VIEWS = {
  overview: toTab(Overview),
  columns: toTab(ColumnsTab),
  lineage: toTab(LineageTab),
  runs: toTab(Runs),
  history: toTab(History),
  raw: toTab(Raw)
};
