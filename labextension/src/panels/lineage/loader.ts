import type { Lineage } from '../../generated/api';
import type { IOperations } from '../../generated/operations';
import { getSideId } from '../../lineage/cluster';
import type { IGraph, Side } from '../../lineage/graph';
import { mergeAnswers, restrictAnswer } from '../../lineage/graph';
import type { ICatalog, IInterval } from '../../tokens';
import type { INodeSide } from './view-text';
import { isDataType } from '../../model/urns';

/** The most relations of an answer; more are loaded on request. */
export const MAX_RELATIONS = 10_000;
/** The most relations of the nearest part of a graph. */
const NEAREST_RELATIONS = 1_000;
/** Maximum number of expanded programs whose other data are loaded. */
const MAX_PROGRAMS = 20;

/** The part of the lineage of an entity that is loaded. */
export interface IGraphQuery {
  direction: Lineage['direction'];
  levels: number;
  times: IInterval & { asOf?: string };
  /** Whether edges between columns are loaded. */
  columns: boolean;
}

/** Nodes and edges from other operations, such as a path. */
export type GraphPart = Pick<Lineage, 'nodes' | 'edges'>;

/** Loads the lineage of an entity, the neighbours that the user added to it, and what the server omitted at first. */
export class GraphLoader {
  constructor(
    private _catalog: ICatalog,
    private _urn: string
  ) {}

  /** Adds the neighbours of a node on one side with the next load. */
  expand(urn: string, side: Side): void {
    this._expanded.set(getSideId(urn, side), { urn, side });
  }

  /** The sides whose neighbours are added. */
  get expanded(): readonly INodeSide[] {
    return [...this._expanded.values()];
  }

  /** Replaces the sides whose neighbours are added. */
  set expanded(sides: readonly INodeSide[]) {
    this._expanded = new Map(sides.map(({ urn, side }) => [getSideId(urn, side), { urn, side }]));
  }

  /** Forgets the continuations of an earlier query. */
  forgetContinuations(): void {
    this._continuations = [];
  }

  /** Loads what the server omitted of a loaded graph; the next load includes it. */
  async continue({ nodes, frontier }: IGraph, { times, ...query }: IGraphQuery): Promise<void> {
    const visited = nodes.map(node => node.urn).filter(urn => !frontier.includes(urn));
    const body = { ...query, ...times, frontier: [...frontier], visited, limit: MAX_RELATIONS };
    this._continuations.push(await this._catalog.call('continueLineage', {}, { body }));
  }

  /** Loads the part of the graph that is nearest to the entity, which takes much less time than a large graph. */
  async loadNearest(query: IGraphQuery, signal: AbortSignal): Promise<IGraph> {
    const { direction, levels } = query;
    return mergeAnswers([await this._read(query, { urn: this._urn, direction, levels }, signal, NEAREST_RELATIONS)]);
  }

  /** Loads the graph, with parts from other operations. */
  async load(query: IGraphQuery, parts: readonly GraphPart[], signal: AbortSignal): Promise<IGraph> {
    const { direction, levels } = query;
    const [first, ...others] = await Promise.all([
      this._read(query, { urn: this._urn, direction, levels }, signal),
      ...[...this._expanded.values()].map(({ urn, side }) =>
        this._read(query, { urn, direction: side, levels: 1 }, signal)
      )
    ]);
    const added = parts.map((part): Lineage => ({ ...first, columns: [], truncated: false, frontier: [], ...part }));
    const answers = [first, ...others, ...this._continuations, ...added];
    const connections = await this._connectPrograms(query, mergeAnswers(answers), first, others, signal);
    const last = this._continuations.at(-1) ?? first;
    return {
      ...mergeAnswers([...answers, ...connections]),
      frontier: last.frontier,
      truncated: last.truncated
    };
  }

  /** Loads the edges of added programs to other loaded data: they may have accessed more than led to them. */
  private async _connectPrograms(
    query: IGraphQuery,
    graph: IGraph,
    first: Lineage,
    others: readonly Lineage[],
    signal: AbortSignal
  ): Promise<Lineage[]> {
    const known = new Set(first.nodes.map(node => node.urn));
    const added = others.flatMap(({ nodes }) => nodes.filter(node => !isDataType(node.type) && !known.has(node.urn)));
    const shownUrns = new Set(graph.nodes.map(node => node.urn));
    const answers = await Promise.all(
      added.slice(0, MAX_PROGRAMS).map(({ urn }) => this._read(query, { urn, direction: 'both', levels: 1 }, signal))
    );
    return answers.map(answer => restrictAnswer(answer, shownUrns));
  }

  private _read(
    { times, columns }: IGraphQuery,
    of: Pick<IOperations['readLineage']['parameters'], 'urn' | 'direction' | 'levels'>,
    signal: AbortSignal,
    limit = MAX_RELATIONS
  ): Promise<Lineage> {
    return this._catalog.call('readLineage', { ...of, ...times, columns, limit }, { signal });
  }

  private _expanded = new Map<string, INodeSide>();
  private _continuations: Lineage[] = [];
}
