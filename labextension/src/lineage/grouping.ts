import type { IGraph, INode } from './graph';
import { replaceEnds } from './edges';

/** The property by which nodes are drawn as one. */
export type Grouping = 'none' | 'notebook' | 'namespace' | 'pipeline';

export const GROUPINGS: readonly Grouping[] = ['none', 'notebook', 'namespace', 'pipeline'];

const CELL = /^(.+)#[^#]+$/;
const FLOW = /^urn:li:dataJob:\(urn:li:dataFlow:\((.*)\),[^()]*\)$/;

/** Returns the name of the group of a node; null if it has none. */
export function getGroupName(node: INode, grouping: Grouping): string | null {
  switch (grouping) {
    case 'none':
      return null;
    case 'notebook':
      return (node.type === 'dataJob' ? CELL.exec(node.name)?.[1] : undefined) ?? null;
    case 'namespace':
      return node.namespace;
    case 'pipeline': {
      // The notebook flow holds the cells of all notebooks of a namespace: it is not a pipeline.
      const flow = FLOW.exec(node.urn)?.[1];
      return flow === undefined || CELL.test(node.name) ? null : (flow.split(',')[1] ?? null);
    }
  }
}

/** Returns the URN of the node that is drawn for a group. */
export function getGroupUrn(grouping: Grouping, name: string): string {
  return `group:${grouping} ${name}`;
}

function createGroup(name: string, grouping: Grouping, members: readonly INode[]): INode {
  const [first] = members as [INode, ...INode[]];
  return {
    ...first,
    urn: getGroupUrn(grouping, name),
    type: 'group',
    name,
    platform: null,
    deleted: members.every(member => member.deleted),
    notShown: {
      upstream: members.reduce((sum, { notShown }) => sum + notShown.upstream, 0),
      downstream: members.reduce((sum, { notShown }) => sum + notShown.downstream, 0)
    },
    members: members as NonNullable<INode['members']>
  };
}

/** Replaces nodes of one group by one node. The focus, lone nodes and opened groups stay. */
export function groupNodes(graph: IGraph, grouping: Grouping, open: ReadonlySet<string>): IGraph {
  const groups = new Map<string, INode[]>();
  for (const node of graph.nodes) {
    const name = node.urn === graph.focus ? null : getGroupName(node, grouping);
    if (name !== null && !open.has(getGroupUrn(grouping, name))) {
      const members = groups.get(name) ?? [];
      members.push(node);
      groups.set(name, members);
    }
  }
  const created = [...groups]
    .filter(([, members]) => members.length > 1)
    .map(([name, members]) => createGroup(name, grouping, members));
  if (created.length === 0) {
    return graph;
  }
  const groupOf = new Map(created.flatMap(group => (group.members ?? []).map(member => [member.urn, group.urn])));
  return {
    ...graph,
    nodes: [...graph.nodes.filter(node => !groupOf.has(node.urn)), ...created],
    edges: replaceEnds(graph.edges, urn => groupOf.get(urn) ?? urn)
  };
}
