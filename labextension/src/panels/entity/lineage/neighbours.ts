import type { Lineage } from '../../../generated/api';

type LineageNode = Lineage['nodes'][number];

/** An entity next to the shown one in the lineage. */
export interface INeighbour {
  node: LineageNode;
  /** The programs between the two entities. */
  programs: readonly LineageNode[];
}

/** The lineage of an entity, one level in each direction. */
export interface INeighbours {
  upstream: readonly INeighbour[];
  downstream: readonly INeighbour[];
  /** Whether there are more than in the answer. */
  isTruncated: boolean;
}

/** Returns the neighbours of a node on one side: through programs for data, directly for a program. */
function listNeighboursOnSide({ urn, nodes }: Lineage, getNext: (node: string) => readonly string[]): INeighbour[] {
  const byUrn = new Map(nodes.map(node => [node.urn, node]));
  const programs = new Map<string, LineageNode[]>();
  const add = (target: string, through: LineageNode | undefined): void => {
    programs.set(target, [...(programs.get(target) ?? []), ...(through ? [through] : [])]);
  };
  const isProgram = byUrn.get(urn)?.type === 'dataJob';
  for (const next of getNext(urn)) {
    const node = byUrn.get(next);
    if (!isProgram && node?.type === 'dataJob') {
      const beyond = getNext(next).filter(other => other !== urn);
      beyond.forEach(other => add(other, node));
      if (beyond.length === 0) {
        add(next, undefined);
      }
    } else {
      add(next, undefined);
    }
  }
  return [...programs].flatMap(([target, through]) => {
    const node = byUrn.get(target);
    return node ? [{ node, programs: through }] : [];
  });
}

/** Lists what an entity comes from and what comes from it. */
export function listNeighbours(lineage: Lineage): INeighbours {
  const { edges, truncated } = lineage;
  return {
    upstream: listNeighboursOnSide(lineage, urn =>
      edges.filter(({ target }) => target === urn).map(({ source }) => source)
    ),
    downstream: listNeighboursOnSide(lineage, urn =>
      edges.filter(({ source }) => source === urn).map(({ target }) => target)
    ),
    isTruncated: truncated
  };
}
