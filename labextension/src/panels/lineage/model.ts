import type { Change, Lineage, LineageImpact, Run } from '../../generated/api';
import type { IOperations } from '../../generated/operations';
import type { IColumnEdge, IEdge, IGraph, INode, Side } from '../../lineage/graph';
import { limitNodes, getEdgeId, EMPTY_GRAPH, mergeAnswers, restrictAnswer } from '../../lineage/graph';
import type { Layouter } from '../../lineage/layouter';
import type { IScene } from '../../lineage/scene';
import { toDigraph, EMPTY_SCENE, createScene } from '../../lineage/scene';
import type { Interval } from '../../model/interval';
import { toBounds, isReversed, toUtc } from '../../model/interval';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import type { ICatalog, IChangeFeed, IInterval } from '../../tokens';

/** A request for the lineage of one entity. */
type LineageQuery = IOperations['readLineage']['parameters'];

export const MAX_NODES = 200;
const MAX_RELATIONS = 1000;
const MAX_RUNS = 20;
/** Maximum number of expanded programs whose other data are loaded. */
const MAX_PROGRAMS = 20;
const CHANGE_PAUSE_MS = 400;

/** The requested part of the lineage. */
export interface ILineageOptions {
  direction: Lineage['direction'];
  levels: number;
  interval: Interval;
  columns: boolean;
  /** A local time in the format of an input, for the state of the catalog at that time; empty for now. */
  asOf: string;
}

/** The selected node or edge, with its runs and columns. */
export interface ISelection {
  node: INode | null;
  edge: IEdge | null;
  runs: readonly Run[] | null;
  columns: readonly IColumnEdge[];
  /** The downstream entities of the node, once requested. */
  impact: LineageImpact | null;
  problem: CatalogProblem | null;
}

/** The state of the lineage panel. */
export interface ILineageState extends ILiveState {
  options: ILineageOptions;
  scene: IScene;
  /** The node whose hidden neighbours were added to this scene. */
  expanded: string | null;
  selection: ISelection;
  /** The last expanded node, if some of its neighbours did not fit. */
  fullSide: IFullSide | null;
  /** Whether the entity did not exist at the requested time. */
  isUnknownThen: boolean;
  answered: boolean;
}

/** A side of a node with neighbours that did not fit into the graph. */
export interface IFullSide {
  node: INode;
  side: Side;
}

const EMPTY_SELECTION: ISelection = { node: null, edge: null, runs: null, columns: [], impact: null, problem: null };

/** Whether an edge between columns belongs to an edge of the graph. */
function belongsToEdge(column: IColumnEdge, edge: IEdge, data: string, program: string): boolean {
  return edge.access === 'declared'
    ? column.program === null && column.source === edge.source && column.target === edge.target
    : column.program === program && (column.source === data || column.target === data);
}

/** The model of a lineage graph. */
export class LineageModel extends LiveModel<ILineageState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _layouter: Layouter,
    readonly urn: string,
    levels: number
  ) {
    super(feed, {
      options: { direction: 'both', levels, interval: { kind: 'all' }, columns: false, asOf: '' },
      scene: { ...EMPTY_SCENE, graph: EMPTY_GRAPH },
      expanded: null,
      selection: EMPTY_SELECTION,
      fullSide: null,
      isUnknownThen: false,
      busy: false,
      answered: false,
      problem: null
    });
  }

  override dispose(): void {
    super.dispose();
    this._layouter.dispose();
  }

  /**
   * Sets options. Another direction or number of levels collapses expanded nodes; a reversed interval is not requested.
   */
  async setOptions(choice: Partial<ILineageOptions>): Promise<void> {
    const next = { ...this.state.options, ...choice };
    const { direction, levels } = this.state.options;
    if (next.direction !== direction || next.levels !== levels) {
      this._expanded.clear();
    }
    this.setState({ options: next });
    if (choice.interval && isReversed(choice.interval)) {
      return;
    }
    if (!isReversed(next.interval)) {
      this._interval = next.interval;
    }
    await this.refresh();
  }

  /** Adds the hidden neighbours of a node on one side. */
  async expand(urn: string, side: Side): Promise<void> {
    const node = this.state.scene.nodes.get(urn)?.node;
    if (node && node.notShown[side] > 0) {
      this._expanded.set(`${side} ${urn}`, { urn, side });
      this._expanding = urn;
      const shown = await this.refresh();
      const after = this.state.scene.nodes.get(urn)?.node;
      if (shown && after) {
        this.setState({ fullSide: after.notShown[side] > 0 ? { node: after, side } : null });
      }
    }
  }

  /** Loads everything again. */
  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'not-found' && this.state.options.asOf !== '') {
      // Otherwise, the current graph would appear as the one of the requested time.
      const scene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
      this.setState({
        scene,
        isUnknownThen: true,
        fullSide: null,
        problem: null,
        selection: EMPTY_SELECTION,
        answered: true
      });
    }
    if (shown) {
      this._expanding = null;
      await this._restoreSelection(this.state.scene.graph);
    }
    return shown;
  }

  /** Selects a node, and loads its runs in the interval. */
  async selectNode(urn: string): Promise<void> {
    const { scene } = this.state;
    const node = scene.nodes.get(urn)?.node;
    if (node) {
      const columns = scene.graph.columns.filter(column =>
        [column.source, column.target, column.program].includes(urn)
      );
      this.setState({ selection: { ...EMPTY_SELECTION, node, columns } });
      await this._loadRuns(node.type === 'dataset' ? { data: urn } : { program: urn });
    }
  }

  /** Selects an edge, and loads the runs of its program that accessed its data. */
  async selectEdge(id: string): Promise<void> {
    const { scene } = this.state;
    const edge = scene.graph.edges.find(other => getEdgeId(other) === id);
    if (edge) {
      const dataFirst = scene.nodes.get(edge.source)?.node.type === 'dataset';
      const data = dataFirst ? edge.source : edge.target;
      const program = dataFirst ? edge.target : edge.source;
      const columns = scene.graph.columns.filter(column => belongsToEdge(column, edge, data, program));
      // Declared lineage has no program, and therefore no runs.
      const runs = edge.access === 'declared' ? [] : null;
      this.setState({ selection: { ...EMPTY_SELECTION, edge, columns, runs } });
      if (edge.access !== 'declared') {
        await this._loadRuns({ data, program });
      }
    }
  }

  /** Loads the downstream entities of the selected node. */
  async loadImpact(): Promise<void> {
    const { node } = this.state.selection;
    if (node) {
      const of = { urn: node.urn, ...this._getTimeBounds() };
      await this._updateSelection(async () => ({ impact: await this._catalog.call('readLineageImpact', of) }));
    }
  }

  /** Clears the selection. */
  clearSelection(): void {
    this.setState({ selection: EMPTY_SELECTION });
  }

  protected override async load(signal: AbortSignal): Promise<Partial<ILineageState>> {
    const graph = limitNodes(await this._loadGraph(signal), MAX_NODES);
    const layout = await this._layouter.computeLayout(toDigraph(graph));
    const fullSide = this.state.fullSide && this._updateFull(this.state.fullSide, graph);
    return {
      scene: createScene(graph, layout),
      expanded: this._expanding,
      fullSide,
      isUnknownThen: false,
      answered: true
    };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { nodes } = this.state.scene;
    const relevant = changes.some(
      change =>
        ['access', 'run-end'].includes(change.operation) ||
        ((nodes.has(change.urn) || change.urn === this.urn) && ['create', 'delete'].includes(change.operation))
    );
    if (relevant) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  /** Updates a side that did not fit for another graph; null if all or none of it is shown now. */
  private _updateFull({ node, side }: IFullSide, graph: IGraph): IFullSide | null {
    const now = graph.nodes.find(({ urn }) => urn === node.urn);
    return now && this._expanded.has(`${side} ${now.urn}`) && now.notShown[side] > 0 ? { node: now, side } : null;
  }

  private async _loadRuns(of: { data?: string; program?: string }): Promise<void> {
    await this._updateSelection(async () => {
      const bounds = toBounds(this._interval);
      const { runs } = await this._catalog.call('listRuns', { ...of, ...bounds, limit: MAX_RUNS });
      return { runs };
    });
  }

  /** Adds to the selection, if it is unchanged when the answer arrives. */
  private async _updateSelection(ask: () => Promise<Partial<ISelection>>): Promise<void> {
    const { node, edge } = this.state.selection;
    const update = (change: Partial<ISelection>): void => {
      const { selection } = this.state;
      if (selection.node?.urn === node?.urn && selection.edge === edge) {
        this.setState({ selection: { ...selection, ...change } });
      }
    };
    try {
      update(await ask());
    } catch (reason) {
      update({ problem: toProblem(reason) });
    }
  }

  private _getTimeBounds(): IInterval & { asOf?: string } {
    const asOf = toUtc(this.state.options.asOf);
    return { ...toBounds(this._interval), ...(asOf === undefined ? {} : { asOf }) };
  }

  private async _loadGraph(signal: AbortSignal): Promise<IGraph> {
    const { direction, levels } = this.state.options;
    const expanded = [...this._expanded.values()];
    const answers = await Promise.all([
      this._readLineage({ urn: this.urn, direction, levels }, signal),
      ...expanded.map(({ urn, side }) => this._readLineage({ urn, direction: side, levels: 1 }, signal))
    ]);
    const graph = mergeAnswers(answers);
    const first = new Set(answers[0]?.nodes.map(node => node.urn));
    const addedPrograms = graph.nodes.filter(node => node.type !== 'dataset' && !first.has(node.urn));
    if (addedPrograms.length === 0) {
      return graph;
    }
    // A program expanded from one of its data may have accessed other displayed data.
    const shownUrns = new Set(graph.nodes.map(node => node.urn));
    const moreAnswers = await Promise.all(
      addedPrograms
        .slice(0, MAX_PROGRAMS)
        .map(({ urn }) => this._readLineage({ urn, direction: 'both', levels: 1 }, signal))
    );
    return mergeAnswers([...answers, ...moreAnswers.map(answer => restrictAnswer(answer, shownUrns))]);
  }

  private _readLineage(
    query: Pick<LineageQuery, 'urn' | 'direction' | 'levels'>,
    signal: AbortSignal
  ): Promise<Lineage> {
    const { columns } = this.state.options;
    const parameters = { ...query, ...this._getTimeBounds(), columns, limit: MAX_RELATIONS };
    return this._catalog.call('readLineage', parameters, { signal });
  }

  /** Selects the same node or edge in the new graph, if it still exists. */
  private async _restoreSelection(graph: IGraph): Promise<void> {
    const { node, edge } = this.state.selection;
    if (node) {
      await (graph.nodes.some(other => other.urn === node.urn) ? this.selectNode(node.urn) : this.clearSelection());
    } else if (edge) {
      const id = getEdgeId(edge);
      await (graph.edges.some(other => getEdgeId(other) === id) ? this.selectEdge(id) : this.clearSelection());
    }
  }

  private _expanded = new Map<string, { urn: string; side: Side }>();
  /** The last valid interval. */
  private _interval: Interval = { kind: 'all' };
  private _expanding: string | null = null;
}
