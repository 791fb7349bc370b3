import type { Change } from '../../generated/api';
import type { IColours } from '../../lineage/colouring';
import { colourNodes, NO_COLOURS } from '../../lineage/colouring';
import { getSideId } from '../../lineage/cluster';
import type { IColumn } from '../../lineage/columns';
import { isControl } from '../../lineage/columns';
import { foldGraph } from '../../lineage/fold';
import type { IFolding } from '../../lineage/folding';
import { collapseSide, expandSide, NO_FOLDING, openGroup, revealNode, setGrouping } from '../../lineage/folding';
import type { IGraph, INode, Side } from '../../lineage/graph';
import { EMPTY_GRAPH, getEdgeId } from '../../lineage/graph';
import type { Layouter } from '../../lineage/layouter';
import type { IScene } from '../../lineage/scene';
import { createScene, EMPTY_SCENE, toDigraph } from '../../lineage/scene';
import { foldVariables } from '../../lineage/variables';
import type { Interval } from '../../model/interval';
import { isReversed, toBounds, toUtc } from '../../model/interval';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import { QUALITY_ASPECT } from '../../model/quality/quality';
import type { ICatalog, IChangeFeed, IInterval } from '../../tokens';
import { CardColumnChoice } from './card-columns';
import type { IComparison } from './comparison';
import { readComparison } from './comparison';
import type { Statuses } from './drawn-quality';
import { DrawnQuality } from './drawn-quality';
import { readImpact } from './impact-list';
import type { IGraphQuery } from './loader';
import { GraphLoader, MAX_RELATIONS } from './loader';
import type { INews } from './news';
import { findNews } from './news';
import { readNodeLabels } from './node-labels';
import type { ILineageOptions } from './options';
import { DEFAULT_OPTIONS } from './options';
import type { IPath } from './path';
import { readPath } from './path';
import { readRunEvents } from './run-events';
import type { ISelected, ISelection } from './selection';
import { EMPTY_SELECTION, selectEdge, selectNode } from './selection';
import type { TimeRange } from './time-range';
import { findTimeRange } from './time-range';
import { formatView, parseDirection, parseLevels, parseView } from './view-text';

const MAX_RUNS = 20;
const CHANGE_PAUSE_MS = 400;
const NEWS_MS = 6000;

/** The state of the lineage panel. */
export interface ILineageState extends ILiveState {
  options: ILineageOptions;
  /** All loaded nodes. */
  whole: IGraph;
  /** The drawn nodes. */
  scene: IScene;
  colours: IColours;
  /** The tags of the loaded nodes, if they are coloured by tag. */
  tags: ReadonlyMap<string, readonly string[]>;
  /** The present quality of the drawn datasets. */
  quality: Statuses;
  /** The column whose path is locked. */
  column: IColumn | null;
  /** The node at which a path between two nodes begins. */
  pathStart: INode | null;
  path: IPath | null;
  comparison: IComparison | null;
  timeRange: TimeRange | null;
  /** What others added since a few seconds. */
  news: INews | null;
  /** The node whose hidden neighbours were added to this scene. */
  expanded: string | null;
  selection: ISelection;
  /** Whether the entity did not exist at the requested time. */
  isUnknownThen: boolean;
  answered: boolean;
}

const NO_SCENE: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };

/** The model of a lineage graph: what is loaded, what of it is drawn, and what is selected. */
export class LineageModel extends LiveModel<ILineageState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _layouter: Layouter,
    readonly urn: string,
    levels: number
  ) {
    super(feed, {
      options: { ...DEFAULT_OPTIONS, levels },
      whole: EMPTY_GRAPH,
      scene: NO_SCENE,
      colours: NO_COLOURS,
      tags: new Map(),
      quality: new Map(),
      column: null,
      pathStart: null,
      path: null,
      comparison: null,
      timeRange: null,
      news: null,
      expanded: null,
      selection: EMPTY_SELECTION,
      isUnknownThen: false,
      busy: false,
      answered: false,
      problem: null
    });
    this._loader = new GraphLoader(_catalog, urn);
    this._drawnQuality = new DrawnQuality(_catalog);
    this._cardColumns = new CardColumnChoice(_catalog);
  }

  override dispose(): void {
    super.dispose();
    window.clearTimeout(this._newsTimer);
    this._layouter.dispose();
  }

  /**
   * Sets options. Another direction or number of levels collapses expanded nodes; a reversed interval is not requested.
   */
  async setOptions(choice: Partial<ILineageOptions>): Promise<void> {
    const before = this.state.options;
    const next = { ...before, ...choice };
    if (next.direction !== before.direction || next.levels !== before.levels) {
      this._loader.expanded = [];
      this._folding = { ...NO_FOLDING, grouping: next.grouping, kept: this._listPathNodes() };
    }
    if (next.grouping !== before.grouping) {
      this._folding = setGrouping(this._folding, next.grouping);
    }
    if (next.columns !== before.columns) {
      this._cardColumns.reset();
    }
    this.setState({ options: next });
    if (choice.interval && isReversed(choice.interval)) {
      return;
    }
    if (!isReversed(next.interval)) {
      this._interval = next.interval;
    }
    if (this._isPresentation(before, next)) {
      await this._rearrange();
    } else {
      this._loader.forgetContinuations();
      await this.refresh();
    }
  }

  /** The view as a text, with which it is restored. */
  get view(): string {
    const { options, path } = this.state;
    const pathNodes = this._listPathNodes();
    const kept = new Set([...this._folding.kept].filter(urn => !pathNodes.has(urn)));
    return formatView({ options, expanded: this._loader.expanded, folding: { ...this._folding, kept }, path });
  }

  /** Applies the arguments of the command that opens the graph: a whole view, or a direction and a number of levels. */
  async applyArguments(args: Readonly<Record<string, unknown>>): Promise<void> {
    const { view } = args;
    if (typeof view === 'string' && view !== '') {
      await this.applyView(view);
      return;
    }
    const direction = parseDirection(args['direction']) ?? this.state.options.direction;
    const levels = parseLevels(args['levels']) ?? this.state.options.levels;
    if (direction !== this.state.options.direction || levels !== this.state.options.levels) {
      await this.setOptions({ direction, levels });
    }
  }

  /** Shows the view of a link, or of a tab before JupyterLab was loaded again. */
  async applyView(text: string): Promise<void> {
    const { options, expanded, folding, path } = parseView(text);
    this._loader.expanded = expanded;
    this._loader.forgetContinuations();
    this._folding = folding;
    this._cardColumns.reset();
    if (!isReversed(options.interval)) {
      this._interval = options.interval;
    }
    this.setState({ options, path: null, pathStart: null });
    const problem = path && (await this._readPath(path.from, path.to));
    if ((await this.refresh()) && problem) {
      this.setState({ problem });
    }
  }

  /** Adds the hidden neighbours of a node on one side. */
  async expand(urn: string, side: Side): Promise<void> {
    const node = this.state.scene.nodes.get(urn)?.node;
    if (!node || node.notShown[side] === 0) {
      return;
    }
    this._expanding = urn;
    if (this._folding.collapsed.has(getSideId(urn, side))) {
      this._folding = expandSide(this._folding, urn, side);
      await this._rearrange();
    } else {
      this._loader.expand(urn, side);
      await this.refresh();
    }
  }

  /** Hides the neighbours of a node on one side, and what only they lead to. */
  async collapse(urn: string, side: Side): Promise<void> {
    this._folding = collapseSide(this._folding, urn, side);
    await this._rearrange();
  }

  /** Draws the nodes of a group, or the next nodes of a cluster. */
  async openGroup(urn: string): Promise<void> {
    this._folding = openGroup(this._folding, urn);
    await this._rearrange();
  }

  /** Draws a loaded node, which may be in a cluster or a group, and selects it or a column of it. */
  async reveal(urn: string, column: IColumn | null = null): Promise<void> {
    const { whole, scene } = this.state;
    if (!scene.nodes.has(urn)) {
      this._folding = revealNode(this._folding, whole, urn);
      await this._rearrange();
    }
    await (column ? this.selectColumn(column) : this.selectNode(urn));
  }

  /** Shows or hides the columns of a table. */
  async toggleColumns(urn: string): Promise<void> {
    const hadColumns = this._loadsColumns;
    this._cardColumns.toggle(urn);
    await this._cardColumns.loadSchema(urn);
    await (hadColumns || !this._loadsColumns ? this._rearrange() : this.refresh());
  }

  /** Shows more columns of a table. */
  async showMoreColumns(urn: string): Promise<void> {
    this._cardColumns.showMore(urn);
    await this._cardColumns.loadSchema(urn);
    await this._rearrange();
  }

  /** Locks the path of a column, and selects its table; null unlocks it. */
  async selectColumn(column: IColumn | null): Promise<void> {
    this.setState({ column });
    await this._rearrange();
    if (column) {
      await this.selectNode(column.urn);
    }
  }

  /** Loads what the server omitted. */
  async loadMore(): Promise<void> {
    const { whole } = this.state;
    if (whole.frontier.length > 0) {
      this.setState({ busy: true });
      try {
        await this._loader.continue(whole, this._createQuery());
      } catch (reason) {
        this.setState({ busy: false, problem: toProblem(reason) });
        return;
      }
      await this.refresh();
    }
  }

  /** Loads everything again. */
  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'not-found' && this.state.options.asOf !== '') {
      // Otherwise, the current graph would appear as the one of the requested time.
      this.setState({
        scene: NO_SCENE,
        whole: EMPTY_GRAPH,
        isUnknownThen: true,
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
    await this._select(selectNode(this.state.scene, urn, this.state.column));
  }

  /** Selects an edge, and loads the runs of its program that accessed its data. */
  async selectEdge(id: string): Promise<void> {
    await this._select(selectEdge(this.state.scene, id));
  }

  /** Loads the downstream entities of the selected node. */
  async loadImpact(): Promise<void> {
    const { node } = this.state.selection;
    if (node) {
      const of = { urn: node.urn, ...this._getTimeBounds() };
      await this._updateSelection(async () => ({ impact: await readImpact(this._catalog, of) }));
    }
  }

  /** Begins a path between two nodes at the selected node; null cancels it. */
  startPath(node: INode | null): void {
    this.setState({ pathStart: node, path: null });
  }

  /** Shows the shortest paths between the start and another node, in the direction in which data flows. */
  async showPath(to: string): Promise<void> {
    const from = this.state.pathStart?.urn;
    if (from === undefined) {
      return;
    }
    this._folding = { ...this._folding, kept: new Set() };
    const problem = await this._readPath(from, to);
    await (problem ? this.setState({ problem }) : this.refresh());
  }

  /** Ends the display of a path. */
  async clearPath(): Promise<void> {
    this._folding = { ...this._folding, kept: new Set() };
    this.setState({ path: null, pathStart: null });
    await this.refresh();
  }

  /** Reads the runs on the drawn edges as events of OpenLineage, one a line; null if this fails. */
  async exportRunEvents(): Promise<string | null> {
    this.setState({ busy: true });
    try {
      const lines = await readRunEvents(this._catalog, this.state.scene.graph);
      this.setState({ busy: false });
      return lines;
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
      return null;
    }
  }

  /** Clears the selection. */
  clearSelection(): void {
    this.setState({ selection: EMPTY_SELECTION });
    if (this.state.column) {
      void this.selectColumn(null);
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<ILineageState>> {
    this._layouter.start();
    const before = this._hasChanged ? this.state.whole : null;
    this._hasChanged = false;
    const now = Date.now();
    const query = this._createQuery();
    const comparison = await this._compare(query, signal);
    const { path, options } = this.state;
    const parts = [comparison, path].flatMap(source => source?.part ?? []);
    const isSimple = parts.length === 0 && this._loader.expanded.length === 0;
    const nearest = !this.state.answered && isSimple ? await this._loadAndShowNearest(query, signal) : null;
    const whole = nearest?.truncated === false ? nearest : await this._loader.load(query, parts, signal);
    const range = this.state.timeRange;
    const timeRange = options.asOf === '' || range === null ? findTimeRange(whole, now) : range;
    const tags = await this._loadTags(whole, signal);
    const arranged = await this._arrangeLatest(whole, tags);
    const news = before && findNews(before, whole);
    if (news) {
      this._showNews(news);
    }
    void this._showQuality(this._drawnQuality.readAll(arranged.scene.graph));
    return { ...arranged, whole, tags, timeRange, comparison, isUnknownThen: false, answered: true };
  }

  /** Loads the nearest part of a graph that was not shown yet; draws it if there is more, which is loaded afterwards. */
  private async _loadAndShowNearest(query: IGraphQuery, signal: AbortSignal): Promise<IGraph> {
    const nearest = await this._loader.loadNearest(query, signal);
    if (nearest.truncated) {
      const arranged = await this._arrangeLatest(nearest, new Map());
      if (!signal.aborted) {
        this.setState({ ...arranged, whole: nearest });
      }
    }
    return nearest;
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { nodes, graph } = this.state.scene;
    if (changes.some(({ urn, aspect }) => aspect === QUALITY_ASPECT && nodes.has(urn))) {
      void this._showQuality(this._drawnQuality.readAll(graph));
    }
    const relevant = changes.some(
      change =>
        ['access', 'run-end'].includes(change.operation) ||
        ((nodes.has(change.urn) || change.urn === this.urn) && ['create', 'delete'].includes(change.operation))
    );
    if (relevant) {
      this._hasChanged = this.state.answered;
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  /** Shows the quality of the drawn datasets when it has been read. A graph of the past has none. */
  private async _showQuality(reading: Promise<Statuses | null>): Promise<void> {
    const read = await reading;
    if (read !== null && !this.isDisposed) {
      this.setState({ quality: this.state.options.asOf === '' ? read : new Map() });
    }
  }

  /** Highlights what others added for a few seconds. */
  private _showNews(news: INews): void {
    window.clearTimeout(this._newsTimer);
    this.setState({ news });
    this._newsTimer = window.setTimeout(() => this.setState({ news: null }), NEWS_MS);
  }

  /** Whether the options differ only in how the loaded graph is drawn. */
  private _isPresentation(before: ILineageOptions, next: ILineageOptions): boolean {
    const presentation = {
      grouping: next.grouping,
      colouring: next.colouring,
      control: next.control,
      variables: next.variables,
      decoration: next.decoration
    };
    const loadsTags = next.colouring === 'tag' && before.colouring !== 'tag';
    return !loadsTags && JSON.stringify({ ...before, ...presentation }) === JSON.stringify(next);
  }

  /** Whether edges between columns are loaded. */
  private get _loadsColumns(): boolean {
    return this.state.options.columns || this._cardColumns.isIndividual;
  }

  /** Folds the loaded graph and lays it out. */
  private async _arrange(
    whole: IGraph,
    tags: ReadonlyMap<string, readonly string[]>
  ): Promise<Pick<ILineageState, 'scene' | 'colours' | 'expanded'>> {
    const { options, column } = this.state;
    const folded = foldGraph(options.variables ? whole : foldVariables(whole), this._folding);
    const graph = options.control ? folded : { ...folded, columns: folded.columns.filter(edge => !isControl(edge)) };
    const columns = this._cardColumns.select(graph, options.columns, column);
    const layout = await this._layouter.computeLayout(toDigraph(graph, columns));
    return {
      scene: createScene(graph, layout, columns),
      colours: colourNodes(graph, options.colouring, tags, new Date().toISOString()),
      expanded: this._expanding
    };
  }

  /** Arranges a new graph, and again if the user chose another presentation meanwhile, which must not be lost. */
  private async _arrangeLatest(...graph: Parameters<LineageModel['_arrange']>): ReturnType<LineageModel['_arrange']> {
    for (;;) {
      const turn = this._turn;
      const arranged = await this._arrange(...graph);
      if (turn === this._turn) {
        return arranged;
      }
    }
  }

  /** Draws the loaded graph again, with other nodes or columns; a graph that is loaded meanwhile has them already. */
  private async _rearrange(): Promise<void> {
    const turn = ++this._turn;
    const { whole, tags } = this.state;
    const arranged = await this._arrange(whole, tags);
    if (turn === this._turn && whole === this.state.whole) {
      this.setState(arranged);
      void this._showQuality(this._drawnQuality.readIfNew(arranged.scene.graph));
      this._expanding = null;
    }
  }

  private async _select(selected: ISelected | null): Promise<void> {
    if (!selected) {
      return;
    }
    this.setState({ selection: selected.selection });
    const { runsOf } = selected;
    if (runsOf) {
      await this._updateSelection(async () => {
        const bounds = toBounds(this._interval);
        const { runs } = await this._catalog.call('listRuns', { ...runsOf, ...bounds, limit: MAX_RUNS });
        return { runs };
      });
    }
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

  private _createQuery(): IGraphQuery {
    const { direction, levels } = this.state.options;
    return { direction, levels, times: this._getTimeBounds(), columns: this._loadsColumns };
  }

  private _compare({ direction, levels }: IGraphQuery, signal: AbortSignal): Promise<IComparison | null> {
    const { since, asOf } = this.state.options;
    const times = { from: toUtc(since), to: toUtc(asOf) };
    return readComparison(this._catalog, { urn: this.urn, direction, levels, limit: MAX_RELATIONS, ...times }, signal);
  }

  private async _loadTags(graph: IGraph, signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
    if (this.state.options.colouring !== 'tag') {
      return new Map();
    }
    const labels = await readNodeLabels(
      this._catalog,
      graph.nodes.map(node => node.urn),
      signal
    );
    return new Map([...labels].map(([urn, { tags }]) => [urn, tags]));
  }

  /** Reads the paths between two nodes; returns the problem if it fails. */
  private async _readPath(from: string, to: string): Promise<CatalogProblem | null> {
    this.setState({ busy: true });
    try {
      const path = await readPath(this._catalog, from, to, this._getTimeBounds());
      this.setState({ path, busy: false, pathStart: null });
      this._folding = { ...this._folding, kept: new Set([...this._folding.kept, ...this._listPathNodes()]) };
      return null;
    } catch (reason) {
      this.setState({ busy: false });
      return toProblem(reason);
    }
  }

  private _listPathNodes(): ReadonlySet<string> {
    return new Set(this.state.path?.part.nodes.map(node => node.urn));
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

  private _loader: GraphLoader;
  private _drawnQuality: DrawnQuality;
  private _cardColumns: CardColumnChoice;
  /** The last valid interval. */
  private _interval: Interval = { kind: 'all' };
  private _expanding: string | null = null;
  private _folding: IFolding = NO_FOLDING;
  /** Whether the catalog has changed since the last load. */
  private _hasChanged = false;
  private _newsTimer = 0;
  /** The number of choices of a presentation. */
  private _turn = 0;
}
