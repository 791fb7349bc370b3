import { describe, expect, it } from 'vitest';
import type { IColumnEdge, IEdge, IGraph, INode } from '../../src/lineage/graph';
import { foldVariables } from '../../src/lineage/variables';

const RAW = 'urn:li:dataset:(urn:li:dataPlatform:file,/data/raw.csv,PROD)';
const OUT = 'urn:li:dataset:(urn:li:dataPlatform:file,/data/out.csv,PROD)';
const READ = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.a.ipynb#read)';
const WRITE = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.a.ipynb#write)';
const FRAME = 'urn:li:dataset:(urn:li:dataPlatform:notebook,default/a.ipynb#read#frame,PROD)';
const OTHER = 'urn:li:dataset:(urn:li:dataPlatform:notebook,default/a.ipynb#read#other,PROD)';

function createNode(urn: string): INode {
  const type = urn.startsWith('urn:li:dataJob') ? 'dataJob' : 'dataset';
  return {
    urn,
    type,
    namespace: '',
    name: urn,
    platform: null,
    level: 0,
    deleted: false,
    notShown: { upstream: 0, downstream: 0 }
  };
}

function createEdge(source: string, target: string): IEdge {
  return {
    source,
    target,
    access: target.startsWith('urn:li:dataJob') ? 'read' : 'write',
    runs: [],
    runCount: 1,
    start: '2026-11-27T10:00:00.000Z',
    end: null,
    components: [],
    reportedBy: 'ada',
    declared: false,
    statements: []
  };
}

function createGraph(pairs: readonly (readonly [string, string])[], focus = OUT): IGraph {
  return {
    focus,
    nodes: [...new Set(pairs.flat())].map(createNode),
    edges: pairs.map(([source, target]) => createEdge(source, target)),
    columns: [],
    truncated: false,
    frontier: []
  };
}

const CHAIN = [
  [RAW, READ],
  [READ, FRAME],
  [FRAME, WRITE],
  [WRITE, OUT]
] as const;

describe('the variables of a lineage graph', () => {
  it('become edges between cells that name them', () => {
    const graph = foldVariables(createGraph([...CHAIN, [READ, OTHER], [OTHER, WRITE]]));
    expect(graph.nodes.map(({ urn }) => urn)).toEqual([RAW, READ, WRITE, OUT]);
    expect(graph.edges.map(({ source, target, through }) => [source, target, through])).toEqual([
      [RAW, READ, undefined],
      [WRITE, OUT, undefined],
      [READ, WRITE, ['frame', 'other']]
    ]);
  });

  it('connect the columns before them with those after them', () => {
    const column = (
      [source, sourceField]: [string, string],
      [target, targetField]: [string, string],
      transformation: IColumnEdge['transformation']
    ): IColumnEdge => ({ source, sourceField, target, targetField, transformation, program: WRITE });
    const columns = [
      column([RAW, 'a'], [FRAME, 'x'], 'identity'),
      column([RAW, 'b'], [FRAME, 'x'], 'filter'),
      column([FRAME, 'x'], [OUT, 'total'], 'aggregation'),
      column([FRAME, 'y'], [OUT, 'other'], 'identity')
    ];
    expect(foldVariables({ ...createGraph(CHAIN), columns }).columns).toEqual([
      column([RAW, 'a'], [OUT, 'total'], 'aggregation'),
      column([RAW, 'b'], [OUT, 'total'], 'filter')
    ]);
  });

  it('stay if they are the focus, or at the end of what is loaded', () => {
    expect(foldVariables(createGraph(CHAIN, FRAME)).nodes).toHaveLength(5);
    const end = CHAIN.slice(2);
    expect(foldVariables(createGraph(end)).nodes.map(({ urn }) => urn)).toEqual([FRAME, WRITE, OUT]);
  });

  it('make no edge from a cell to itself', () => {
    const graph = foldVariables(createGraph([...CHAIN, [WRITE, FRAME]]));
    expect(graph.edges.filter(({ source, target }) => source === target)).toEqual([]);
  });
});
