import type { Change, Lineage, Run } from '../../generated/api';
import type { IOperations } from '../../generated/operations';
import type { IColours } from '../../lineage/colouring';
import { colourNodes, NO_COLOURS } from '../../lineage/colouring';
import type { IColumn } from '../../lineage/columns';
import { FIRST_COLUMNS, isControl, listColumns, NEXT_COLUMNS, selectColumns, traceColumn } from '../../lineage/columns';
import type { IFolding } from '../../lineage/fold';
import {
  FIRST_PAGE,
  findWay,
  foldGraph,
  getClusterUrn,
  getSideId,
  isCluster,
  NEXT_PAGE,
  NO_FOLDING
} from '../../lineage/fold';
import type { IColumnEdge, IEdge, IGraph, INode, Side } from '../../lineage/graph';
import { getEdgeId, EMPTY_GRAPH, mergeAnswers, restrictAnswer } from '../../lineage/graph';
import { getGroupName } from '../../lineage/grouping';
import type { Layouter } from '../../lineage/layouter';
import type { Mark } from '../../lineage/painter';
import type { CardColumns, IScene } from '../../lineage/scene';
import { toDigraph, EMPTY_SCENE, createScene } from '../../lineage/scene';
import type { Interval } from '../../model/interval';
import { toBounds, isReversed, toUtc } from '../../model/interval';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import type { ICatalog, IChangeFeed, IInterval } from '../../tokens';
import type { IImpact } from './impact-list';
import { readImpact } from './impact-list';
import type { ILineageOptions } from './options';
import { DEFAULT_OPTIONS, parseView } from './options';
import { readNodeLabels } from './node-labels';

/** A request for the lineage of one entity. */
type LineageQuery = IOperations['readLineage']['parameters'];

/** The most relations of an answer; more are loaded on request. */
const MAX_RELATIONS = 10_000;
const MAX_RUNS = 20;
/** Maximum number of expanded programs whose other data are loaded. */
const MAX_PROGRAMS = 20;
/** The number of tables whose columns are shown at once. */
const MAX_TABLES = 60;
const CHANGE_PAUSE_MS = 400;
const DAY_MS = 86_400_000;

/** The selected node or edge, with its runs and columns. */
export interface ISelection {
  node: INode | null;
  edge: IEdge | null;
  runs: readonly Run[] | null;
  columns: readonly IColumnEdge[];
  /** The downstream entities of the node, once requested. */
  impact: IImpact | null;
  problem: CatalogProblem | null;
}

/** The shortest paths between two nodes. */
interface IPath {
  from: string;
  to: string;
  /** The number of paths. */
  count: number;
  /** The nodes and edges on the paths, by URNs and ids. */
  ids: ReadonlySet<string>;
}

/** The differences between two times. */
export interface IComparison {
  marks: ReadonlyMap<string, Mark>;
  added: number;
  removed: number;
}

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
  /** The column whose path is locked. */
  column: IColumn | null;
  /** The node at which a path between two nodes begins. */
  pathStart: INode | null;
  path: IPath | null;
  comparison: IComparison | null;
  /** When the first and the last run of the graph were, in milliseconds. */
  timeRange: readonly [number, number] | null;
  /** The node whose hidden neighbours were added to this scene. */
  expanded: string | null;
  selection: ISelection;
  /** Whether the entity did not exist at the requested time. */
  isUnknownThen: boolean;
  answered: boolean;
}

const EMPTY_SELECTION: ISelection = { node: null, edge: null, runs: null, columns: [], impact: null, problem: null };
const NO_SCENE: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };

/** Whether an edge between columns belongs to an edge of the graph. */
function belongsToEdge(column: IColumnEdge, edge: IEdge, data: string, program: string): boolean {
  return edge.access === 'declared'
    ? column.program === null && column.source === edge.source && column.target === edge.target
    : column.program === program && (column.source === data || column.target === data);
}

/** Returns when the first and the last run of a graph were; null if there is none. */
function findTimeRange(graph: IGraph, now: number): readonly [number, number] | null {
  const starts = graph.edges.map(edge => Date.parse(edge.start));
  const first = starts.reduce((least, time) => Math.min(least, time), Infinity);
  return first === Infinity ? null : [Math.min(first, now), now];
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
      options: { ...DEFAULT_OPTIONS, levels },
      whole: EMPTY_GRAPH,
      scene: NO_SCENE,
      colours: NO_COLOURS,
      tags: new Map(),
      column: null,
      pathStart: null,
      path: null,
      comparison: null,
      timeRange: null,
      expanded: null,
      selection: EMPTY_SELECTION,
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
    const before = this.state.options;
    const next = { ...before, ...choice };
    if (next.direction !== before.direction || next.levels !== before.levels) {
      this._expanded.clear();
      this._folding = { ...NO_FOLDING, grouping: next.grouping };
    }
    if (next.grouping !== before.grouping) {
      this._folding = { ...this._folding, grouping: next.grouping, openGroups: new Set(), pages: new Map() };
    }
    if (next.columns !== before.columns) {
      this._toggledCards.clear();
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
      this._continuations = [];
      await this.refresh();
    }
  }

  /** Shows the view of a link. */
  async applyView(view: string): Promise<void> {
    await this.setOptions(parseView(view));
  }

  /** Adds the hidden neighbours of a node on one side. */
  async expand(urn: string, side: Side): Promise<void> {
    const node = this.state.scene.nodes.get(urn)?.node;
    if (!node || node.notShown[side] === 0) {
      return;
    }
    this._expanding = urn;
    if (this._folding.collapsed.has(getSideId(urn, side))) {
      const collapsed = new Set(this._folding.collapsed);
      collapsed.delete(getSideId(urn, side));
      this._folding = { ...this._folding, collapsed };
      await this._rearrange();
    } else {
      this._expanded.set(getSideId(urn, side), { urn, side });
      await this.refresh();
    }
  }

  /** Hides the neighbours of a node on one side, and what only they lead to. */
  async collapse(urn: string, side: Side): Promise<void> {
    const pages = new Map(this._folding.pages);
    pages.delete(getClusterUrn(urn, side));
    const collapsed = new Set(this._folding.collapsed).add(getSideId(urn, side));
    this._folding = { ...this._folding, pages, collapsed, kept: new Set() };
    await this._rearrange();
  }

  /** Draws the nodes of a group, or the next nodes of a cluster. */
  async openGroup(urn: string): Promise<void> {
    if (isCluster({ urn })) {
      const shown = this._folding.pages.get(urn) ?? FIRST_PAGE;
      this._folding = { ...this._folding, pages: new Map(this._folding.pages).set(urn, shown + NEXT_PAGE) };
    } else {
      this._folding = { ...this._folding, openGroups: new Set(this._folding.openGroups).add(urn) };
    }
    await this._rearrange();
  }

  /** Draws a loaded node, which may be in a cluster or a group, with a way to it. */
  async reveal(urn: string, column: IColumn | null = null): Promise<void> {
    const { whole, scene } = this.state;
    if (!scene.nodes.has(urn)) {
      const { grouping } = this._folding;
      const way = findWay(whole, urn);
      const onWay = new Set(way);
      const groups = whole.nodes
        .filter(node => onWay.has(node.urn))
        .flatMap(node => getGroupName(node, grouping) ?? []);
      const openGroups = new Set([...this._folding.openGroups, ...groups.map(name => `group:${grouping} ${name}`)]);
      this._folding = { ...this._folding, kept: new Set([...this._folding.kept, ...way]), openGroups };
      await this._rearrange();
    }
    if (column) {
      await this.selectColumn(column);
    } else {
      await this.selectNode(urn);
    }
  }

  /** Shows or hides the columns of a table. */
  async toggleColumns(urn: string): Promise<void> {
    const hadColumns = this._loadsColumns;
    if (!this._toggledCards.delete(urn)) {
      this._toggledCards.add(urn);
    }
    await this._loadSchema(urn);
    await (hadColumns || !this._loadsColumns ? this._rearrange() : this.refresh());
  }

  /** Shows more columns of a table. */
  async showMoreColumns(urn: string): Promise<void> {
    this._columnRooms.set(urn, (this._columnRooms.get(urn) ?? FIRST_COLUMNS) + NEXT_COLUMNS);
    await this._loadSchema(urn);
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
    const { whole, options } = this.state;
    if (whole.frontier.length > 0) {
      this.setState({ busy: true });
      try {
        const visited = whole.nodes.map(node => node.urn).filter(urn => !whole.frontier.includes(urn));
        const { direction, levels } = options;
        const times = this._getTimeBounds();
        const body = { frontier: [...whole.frontier], visited, direction, levels, limit: MAX_RELATIONS, ...times };
        const more = await this._catalog.call(
          'continueLineage',
          {},
          { body: { ...body, columns: this._loadsColumns } }
        );
        this._continuations.push(more);
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
    const { scene, column } = this.state;
    const node = scene.nodes.get(urn)?.node;
    if (node && !node.members) {
      const columns = scene.graph.columns.filter(edge => [edge.source, edge.target, edge.program].includes(urn));
      const ofColumn = columns.filter(
        edge =>
          (edge.source === urn && edge.sourceField === column?.field) ||
          (edge.target === urn && edge.targetField === column?.field)
      );
      const shown = column?.urn === urn ? ofColumn : columns;
      this.setState({ selection: { ...EMPTY_SELECTION, node, columns: shown } });
      await this._loadRuns(node.type === 'dataset' ? { data: urn } : { program: urn });
    }
  }

  /** Selects an edge, and loads the runs of its program that accessed its data. */
  async selectEdge(id: string): Promise<void> {
    const { scene } = this.state;
    const edge = scene.graph.edges.find(other => getEdgeId(other) === id);
    if (edge) {
      const ends = [edge.source, edge.target].flatMap(urn => scene.nodes.get(urn)?.node ?? []);
      const dataFirst = ends[0]?.type === 'dataset';
      const data = dataFirst ? edge.source : edge.target;
      const program = dataFirst ? edge.target : edge.source;
      const columns = scene.graph.columns.filter(column => belongsToEdge(column, edge, data, program));
      // Declared lineage has no program, and therefore no runs; the edges of a group have those of many.
      const hasRuns = edge.access !== 'declared' && ends.every(node => !node.members);
      this.setState({ selection: { ...EMPTY_SELECTION, edge, columns, runs: hasRuns ? null : [] } });
      if (hasRuns) {
        await this._loadRuns({ data, program });
      }
    }
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
    this.setState({ busy: true });
    try {
      const times = this._getTimeBounds();
      const forward = await this._catalog.call('readLineagePath', { from, to, ...times });
      const found =
        forward.levels === null
          ? await this._catalog.call('readLineagePath', { from: to, to: from, ...times })
          : forward;
      const ids = new Set([...found.nodes.map(node => node.urn), ...found.edges.map(getEdgeId)]);
      const path = { from: found.from, to: found.to, count: found.levels === null ? 0 : found.count, ids };
      const part = { ...this._createPart(), nodes: found.nodes, edges: found.edges };
      this.setState({ path, busy: false, pathStart: null });
      if (path.count > 0) {
        this._folding = { ...this._folding, kept: new Set(found.nodes.map(node => node.urn)) };
        this._pathPart = part;
        await this.refresh();
      }
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
    }
  }

  /** Ends the display of a path. */
  async clearPath(): Promise<void> {
    this._pathPart = null;
    this._folding = { ...this._folding, kept: new Set() };
    this.setState({ path: null, pathStart: null });
    await this.refresh();
  }

  /** Clears the selection. */
  clearSelection(): void {
    this.setState({ selection: EMPTY_SELECTION });
    if (this.state.column) {
      void this.selectColumn(null);
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<ILineageState>> {
    const now = Date.now();
    const comparison = await this._compare(signal);
    const whole = await this._loadGraph(signal, comparison.parts);
    const timeRange = this.state.options.asOf === '' ? findTimeRange(whole, now) : this.state.timeRange;
    const tags = await this._loadTags(whole, signal);
    return {
      ...(await this._arrange(whole, tags)),
      whole,
      tags,
      timeRange,
      comparison: comparison.result,
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

  /** Whether the options differ only in how the loaded graph is drawn. */
  private _isPresentation(before: ILineageOptions, next: ILineageOptions): boolean {
    const presentation = {
      grouping: next.grouping,
      colouring: next.colouring,
      control: next.control,
      decoration: next.decoration
    };
    const loadsTags = next.colouring === 'tag' && before.colouring !== 'tag';
    return !loadsTags && JSON.stringify({ ...before, ...presentation }) === JSON.stringify(next);
  }

  /** Whether edges between columns are loaded. */
  private get _loadsColumns(): boolean {
    return this.state.options.columns || this._toggledCards.size > 0;
  }

  /** Folds the loaded graph and lays it out. */
  private async _arrange(
    whole: IGraph,
    tags: ReadonlyMap<string, readonly string[]>
  ): Promise<Pick<ILineageState, 'scene' | 'colours' | 'expanded'>> {
    const { control, colouring } = this.state.options;
    const folded = foldGraph(whole, this._folding);
    const graph = control ? folded : { ...folded, columns: folded.columns.filter(edge => !isControl(edge)) };
    const columns = this._selectColumns(graph);
    const layout = await this._layouter.computeLayout(toDigraph(graph, columns));
    return {
      scene: createScene(graph, layout, columns),
      colours: colourNodes(graph, colouring, tags, new Date().toISOString()),
      expanded: this._expanding
    };
  }

  /** Draws the loaded graph again, with other nodes or columns. */
  private async _rearrange(): Promise<void> {
    const turn = ++this._turn;
    const { whole, tags } = this.state;
    const arranged = await this._arrange(whole, tags);
    if (turn === this._turn && whole === this.state.whole) {
      this.setState(arranged);
      this._expanding = null;
    }
  }

  /** Returns the columns of the cards that show them. */
  private _selectColumns(graph: IGraph): CardColumns {
    const { options, column } = this.state;
    const lineage = listColumns(graph);
    const path = column ? traceColumn(graph.columns, column) : null;
    const tables = graph.nodes
      .filter(node => node.type === 'dataset')
      .sort((a, b) => Math.abs(a.level) - Math.abs(b.level));
    const cards = new Map<string, ReturnType<typeof selectColumns>>();
    for (const { urn } of tables) {
      const isToggled = this._toggledCards.has(urn);
      const own = lineage.get(urn) ?? [];
      const isOpen = options.columns ? !isToggled && own.length > 0 && cards.size < MAX_TABLES : isToggled;
      if (isOpen) {
        const all = [...new Set([...own, ...(this._schemas.get(urn) ?? [])])];
        const kept = new Set(all.filter(field => path?.fields.has(`${urn}\u241f${field}`)));
        cards.set(urn, selectColumns(all, this._columnRooms.get(urn) ?? FIRST_COLUMNS, kept));
      }
    }
    return cards;
  }

  /** Loads the names of all columns of a table; a failure leaves those with lineage. */
  private async _loadSchema(urn: string): Promise<void> {
    if (this._schemas.has(urn)) {
      return;
    }
    try {
      const { value } = await this._catalog.call('readAspect', { urn, aspect: 'schemaMetadata' });
      const fields = (value as { fields?: { fieldPath?: unknown }[] }).fields ?? [];
      this._schemas.set(
        urn,
        fields.flatMap(({ fieldPath }) => (typeof fieldPath === 'string' ? [fieldPath] : []))
      );
    } catch {
      this._schemas.set(urn, []);
    }
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

  /** Loads the differences between two times, and a part of the graph with the removed edges. */
  private async _compare(signal: AbortSignal): Promise<{ result: IComparison | null; parts: Lineage[] }> {
    const { direction, levels, since, asOf } = this.state.options;
    const from = toUtc(since);
    const to = toUtc(asOf) ?? new Date().toISOString();
    if (from === undefined || from >= to) {
      return { result: null, parts: [] };
    }
    // An edge is there if a run is not older than the time between the two, and a week at least.
    const window = `${Math.ceil(Math.max(7 * DAY_MS, Date.parse(to) - Date.parse(from)) / DAY_MS)}d`;
    const query = { urn: this.urn, from, to, window, direction, levels, limit: MAX_RELATIONS };
    const { added, removed, nodes } = await this._catalog.call('readLineageDiff', query, { signal });
    const marks = new Map<string, Mark>([
      ...removed.map((edge): [string, Mark] => [getEdgeId(edge), 'removed']),
      ...added.map((edge): [string, Mark] => [getEdgeId(edge), 'added'])
    ]);
    const result = { marks, added: added.length, removed: removed.length };
    return { result, parts: [{ ...this._createPart(), nodes, edges: [...added, ...removed] }] };
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

  /** Creates an answer without nodes, for parts of the graph from other operations. */
  private _createPart(): Lineage {
    const { direction, levels } = this.state.options;
    const times = { start: null, end: null, asOf: null };
    const empty = { nodes: [], edges: [], columns: [], truncated: false, frontier: [] };
    return { urn: this.urn, direction, levels, ...times, ...empty };
  }

  private async _loadGraph(signal: AbortSignal, parts: readonly Lineage[]): Promise<IGraph> {
    const { direction, levels } = this.state.options;
    const expanded = [...this._expanded.values()];
    const [first, ...others] = await Promise.all([
      this._readLineage({ urn: this.urn, direction, levels }, signal),
      ...expanded.map(({ urn, side }) => this._readLineage({ urn, direction: side, levels: 1 }, signal))
    ]);
    const path = this._pathPart ? [this._pathPart] : [];
    const answers = [first, ...others, ...this._continuations, ...parts, ...path];
    const graph = mergeAnswers([
      ...answers,
      ...(await this._connectPrograms(mergeAnswers(answers), first, others, signal))
    ]);
    const last = this._continuations.at(-1) ?? first;
    return { ...graph, frontier: last.frontier, truncated: last.truncated };
  }

  /** Loads the edges of added programs to other loaded data: they may have accessed more than led to them. */
  private async _connectPrograms(
    graph: IGraph,
    first: Lineage,
    others: readonly Lineage[],
    signal: AbortSignal
  ): Promise<Lineage[]> {
    const known = new Set(first.nodes.map(node => node.urn));
    const added = others.flatMap(({ nodes }) => nodes.filter(node => node.type !== 'dataset' && !known.has(node.urn)));
    const shownUrns = new Set(graph.nodes.map(node => node.urn));
    const answers = await Promise.all(
      added.slice(0, MAX_PROGRAMS).map(({ urn }) => this._readLineage({ urn, direction: 'both', levels: 1 }, signal))
    );
    return answers.map(answer => restrictAnswer(answer, shownUrns));
  }

  private _readLineage(
    query: Pick<LineageQuery, 'urn' | 'direction' | 'levels'>,
    signal: AbortSignal
  ): Promise<Lineage> {
    const parameters = { ...query, ...this._getTimeBounds(), columns: this._loadsColumns, limit: MAX_RELATIONS };
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
  private _folding: IFolding = NO_FOLDING;
  /** Tables that show their columns although others do not, or the reverse. */
  private _toggledCards = new Set<string>();
  private _columnRooms = new Map<string, number>();
  /** The names of all columns of a table, by URN. */
  private _schemas = new Map<string, readonly string[]>();
  private _continuations: Lineage[] = [];
  private _pathPart: Lineage | null = null;
  private _turn = 0;
}
