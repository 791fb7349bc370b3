import type { INode, Side } from './graph';

/** The number of neighbours on one side of a node that are drawn at first. */
export const FIRST_PAGE = 12;
/** The number of neighbours that are added at once. */
export const NEXT_PAGE = 50;
/** A cluster of fewer nodes would not save space. */
export const MIN_CLUSTER = 5;

/** Returns the identity of one side of a node. */
export function getSideId(urn: string, side: Side): string {
  return `${side} ${urn}`;
}

/** Returns the URN of the cluster on one side of a node. */
export function getClusterUrn(urn: string, side: Side): string {
  return `cluster:${getSideId(urn, side)}`;
}

/** Whether a node is a cluster of a fan, not a group by a property. */
export function isCluster(node: Pick<INode, 'urn'>): boolean {
  return node.urn.startsWith('cluster:');
}

/** Creates the node that stands for the nodes of a fan beyond the first ones. */
export function createCluster(urn: string, members: readonly INode[]): INode {
  const [first] = members as [INode, ...INode[]];
  const plain = members.flatMap(member => member.members ?? [member as NonNullable<INode['members']>[number]]);
  return {
    urn,
    type: 'group',
    namespace: first.namespace,
    name: urn,
    platform: null,
    level: first.level,
    deleted: false,
    notShown: { upstream: 0, downstream: 0 },
    members: plain
  };
}
