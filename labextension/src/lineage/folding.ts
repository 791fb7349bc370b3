import { FIRST_PAGE, getClusterUrn, getSideId, isCluster, NEXT_PAGE } from './cluster';
import type { IGraph, Side } from './graph';
import { findWay } from './graph';
import type { Grouping } from './grouping';
import { getGroupName, getGroupUrn } from './grouping';

/** What the user chose to draw of a graph. */
export interface IFolding {
  grouping: Grouping;
  /** The groups that are drawn as their nodes, by URN. */
  openGroups: ReadonlySet<string>;
  /** The number of nodes drawn of each fan, by the URN of its cluster; others have one page. */
  pages: ReadonlyMap<string, number>;
  /** The collapsed sides, by `getSideId`. */
  collapsed: ReadonlySet<string>;
  /** Nodes that are drawn in any case, such as those of a path. */
  kept: ReadonlySet<string>;
}

export const NO_FOLDING: IFolding = {
  grouping: 'none',
  openGroups: new Set(),
  pages: new Map(),
  collapsed: new Set(),
  kept: new Set()
};

/** Draws the nodes of each group by another property as one. */
export function setGrouping(folding: IFolding, grouping: Grouping): IFolding {
  return { ...folding, grouping, openGroups: new Set() };
}

/** Hides the neighbours of a node on one side, and what only they lead to. */
export function collapseSide(folding: IFolding, urn: string, side: Side): IFolding {
  const pages = new Map(folding.pages);
  pages.delete(getClusterUrn(urn, side));
  return { ...folding, pages, collapsed: new Set(folding.collapsed).add(getSideId(urn, side)), kept: new Set() };
}

/** Draws the neighbours of a collapsed side again. */
export function expandSide(folding: IFolding, urn: string, side: Side): IFolding {
  const collapsed = new Set(folding.collapsed);
  collapsed.delete(getSideId(urn, side));
  return { ...folding, collapsed };
}

/** Draws the nodes of a group, or the next nodes of a cluster. */
export function openGroup(folding: IFolding, urn: string): IFolding {
  if (!isCluster({ urn })) {
    return { ...folding, openGroups: new Set(folding.openGroups).add(urn) };
  }
  const shown = folding.pages.get(urn) ?? FIRST_PAGE;
  return { ...folding, pages: new Map(folding.pages).set(urn, shown + NEXT_PAGE) };
}

/** Draws a node that may be in a cluster, a group or beyond a collapsed side, with a way to it. */
export function revealNode(folding: IFolding, graph: IGraph, urn: string): IFolding {
  const way = new Set(findWay(graph, urn));
  const groups = graph.nodes
    .filter(node => way.has(node.urn))
    .flatMap(node => getGroupName(node, folding.grouping) ?? []);
  return {
    ...folding,
    kept: new Set([...folding.kept, ...way]),
    openGroups: new Set([...folding.openGroups, ...groups.map(name => getGroupUrn(folding.grouping, name))])
  };
}
