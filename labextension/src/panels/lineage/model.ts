import type { Change, Lineage, LineageImpact, Run } from '../../generated/api';
import type { IOperations } from '../../generated/operations';
import type { IColumnEdge, IEdge, IGraph, INode, Side } from '../../lineage/graph';
import { bounded, edgeId, EMPTY_GRAPH, joined, within } from '../../lineage/graph';
import type { Layouter } from '../../lineage/layouter';
import type { IScene } from '../../lineage/scene';
import { digraphOf, EMPTY_SCENE, sceneOf } from '../../lineage/scene';
import type { Interval } from '../../model/interval';
import { intervalBounds, isReversed, utc } from '../../model/interval';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { CatalogProblem } from '../../model/problem';
import { asProblem } from '../../model/problem';
import type { ICatalog, IChangeFeed, IInterval } from '../../tokens';

/** A request for the lineage around one entity. */
type Question = IOperations['readLineage']['parameters'];

export const NODES_MOST = 200;
const RELATIONS_MOST = 1000;
const RUNS_MOST = 20;
/** Programs of expansions whose other data are looked up; a bound on requests. */
const PROGRAMS_MOST = 20;
const CHANGE_PAUSE_MS = 400;

/** Which part of the lineage is asked for. */
export interface ILineageChoice {
  direction: Lineage['direction'];
  levels: number;
  interval: Interval;
  columns: boolean;
  /** A local time as an input gives it: what the catalog knew then; empty for now. */
  asOf: string;
}

/** What is picked in the graph, with what the catalog knows of it. */
export interface ISelection {
  node: INode | null;
  edge: IEdge | null;
  runs: readonly Run[] | null;
  columns: readonly IColumnEdge[];
  /** What depends on the node, once that was asked for. */
  impact: LineageImpact | null;
  problem: CatalogProblem | null;
}

/** What the lineage panel shows. */
export interface ILineageState extends ILiveState {
  choice: ILineageChoice;
  scene: IScene;
  /** The node whose hidden neighbours came with this scene. */
  expanded: string | null;
  selection: ISelection;
  /** The node that was expanded last, where some of its neighbours found no room. */
  full: IFull | null;
  /** Whether the catalog did not know the entity at the time that was asked about. */
  unknownThen: boolean;
  answered: boolean;
}

/** A side of a node, some of whose neighbours found no room in the graph. */
export interface IFull {
  node: INode;
  side: Side;
}

const NOTHING: ISelection = { node: null, edge: null, runs: null, columns: [], impact: null, problem: null };

/** Whether an edge between columns belongs to an edge of the graph. */
function isOfEdge(column: IColumnEdge, edge: IEdge, data: string, program: string): boolean {
  return edge.access === 'declared'
    ? column.program === null && column.source === edge.source && column.target === edge.target
    : column.program === program && (column.source === data || column.target === data);
}

/** State of one lineage graph. */
export class LineageModel extends LiveModel<ILineageState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _layouter: Layouter,
    readonly urn: string,
    levels: number
  ) {
    super(feed, {
      choice: { direction: 'both', levels, interval: { kind: 'all' }, columns: false, asOf: '' },
      scene: { ...EMPTY_SCENE, graph: EMPTY_GRAPH },
      expanded: null,
      selection: NOTHING,
      full: null,
      unknownThen: false,
      busy: false,
      answered: false,
      problem: null
    });
  }

  override dispose(): void {
    super.dispose();
    this._layouter.dispose();
  }

  /** Another part of the lineage; what was expanded by hand is folded. An interval that ends before it begins waits. */
  async choose(choice: Partial<ILineageChoice>): Promise<void> {
    const next = { ...this.state.choice, ...choice };
    const { direction, levels } = this.state.choice;
    if (next.direction !== direction || next.levels !== levels) {
      this._expanded.clear();
    }
    this.set({ choice: next });
    if (choice.interval && isReversed(choice.interval)) {
      return;
    }
    if (!isReversed(next.interval)) {
      this._interval = next.interval;
    }
    await this.refresh();
  }

  /** Shows the neighbours that a node hides on one side. */
  async expand(urn: string, side: Side): Promise<void> {
    const node = this.state.scene.nodes.get(urn)?.node;
    if (node && node.notShown[side] > 0) {
      this._expanded.set(`${side} ${urn}`, { urn, side });
      this._grows = urn;
      const shown = await this.refresh();
      const after = this.state.scene.nodes.get(urn)?.node;
      if (shown && after) {
        this.set({ full: after.notShown[side] > 0 ? { node: after, side } : null });
      }
    }
  }

  /** Asks again for everything that is shown. */
  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'absent' && this.state.choice.asOf !== '') {
      // Else the present graph would be taken for that of the time.
      const scene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
      this.set({ scene, unknownThen: true, full: null, problem: null, selection: NOTHING, answered: true });
    }
    if (shown) {
      this._grows = null;
      await this._reselect(this.state.scene.graph);
    }
    return shown;
  }

  /** Picks a node: its runs in the interval are looked up. */
  async pickNode(urn: string): Promise<void> {
    const { scene } = this.state;
    const node = scene.nodes.get(urn)?.node;
    if (node) {
      const columns = scene.graph.columns.filter(column =>
        [column.source, column.target, column.program].includes(urn)
      );
      this.set({ selection: { ...NOTHING, node, columns } });
      await this._loadRuns(node.type === 'dataset' ? { data: urn } : { program: urn });
    }
  }

  /** Picks an edge: the runs of its program that touched its data. */
  async pickEdge(id: string): Promise<void> {
    const { scene } = this.state;
    const edge = scene.graph.edges.find(other => edgeId(other) === id);
    if (edge) {
      const dataFirst = scene.nodes.get(edge.source)?.node.type === 'dataset';
      const data = dataFirst ? edge.source : edge.target;
      const program = dataFirst ? edge.target : edge.source;
      const columns = scene.graph.columns.filter(column => isOfEdge(column, edge, data, program));
      // What is declared has no program, and so no run.
      const runs = edge.access === 'declared' ? [] : null;
      this.set({ selection: { ...NOTHING, edge, columns, runs } });
      if (edge.access !== 'declared') {
        await this._loadRuns({ data, program });
      }
    }
  }

  /** Looks up what depends on the picked node. */
  async weigh(): Promise<void> {
    const { node } = this.state.selection;
    if (node) {
      const of = { urn: node.urn, ...this._when() };
      await this._learn(async () => ({ impact: await this._catalog.call('readLineageImpact', of) }));
    }
  }

  /** Picks nothing. */
  pickNothing(): void {
    this.set({ selection: NOTHING });
  }

  protected override async ask(signal: AbortSignal): Promise<Partial<ILineageState>> {
    const graph = bounded(await this._graph(signal), NODES_MOST);
    const layout = await this._layouter.layout(digraphOf(graph));
    const full = this.state.full && this._stillFull(this.state.full, graph);
    return { scene: sceneOf(graph, layout), expanded: this._grows, full, unknownThen: false, answered: true };
  }

  protected override heard(changes: readonly Change[]): void {
    const { nodes } = this.state.scene;
    const relevant = changes.some(
      change =>
        ['access', 'run-end'].includes(change.operation) ||
        ((nodes.has(change.urn) || change.urn === this.urn) && ['create', 'delete'].includes(change.operation))
    );
    if (relevant) {
      this.refreshSoon(CHANGE_PAUSE_MS);
    }
  }

  /** A side that had no room, as it is in another graph; null where all of it is shown, or nothing. */
  private _stillFull({ node, side }: IFull, graph: IGraph): IFull | null {
    const now = graph.nodes.find(({ urn }) => urn === node.urn);
    return now && this._expanded.has(`${side} ${now.urn}`) && now.notShown[side] > 0 ? { node: now, side } : null;
  }

  private async _loadRuns(of: { data?: string; program?: string }): Promise<void> {
    await this._learn(async () => {
      const bounds = intervalBounds(this._interval);
      const { runs } = await this._catalog.call('listRuns', { ...of, ...bounds, limit: RUNS_MOST });
      return { runs };
    });
  }

  /** Adds to what is known of what is picked, if it still is when that has come. */
  private async _learn(ask: () => Promise<Partial<ISelection>>): Promise<void> {
    const { node, edge } = this.state.selection;
    const learn = (told: Partial<ISelection>): void => {
      const { selection } = this.state;
      if (selection.node?.urn === node?.urn && selection.edge === edge) {
        this.set({ selection: { ...selection, ...told } });
      }
    };
    try {
      learn(await ask());
    } catch (reason) {
      learn({ problem: asProblem(reason) });
    }
  }

  private _when(): IInterval & { asOf?: string } {
    const asOf = utc(this.state.choice.asOf);
    return { ...intervalBounds(this._interval), ...(asOf === undefined ? {} : { asOf }) };
  }

  private async _graph(signal: AbortSignal): Promise<IGraph> {
    const { direction, levels } = this.state.choice;
    const expanded = [...this._expanded.values()];
    const answers = await Promise.all([
      this._ask({ urn: this.urn, direction, levels }, signal),
      ...expanded.map(({ urn, side }) => this._ask({ urn, direction: side, levels: 1 }, signal))
    ]);
    const graph = joined(answers);
    const first = new Set(answers[0]?.nodes.map(node => node.urn));
    const late = graph.nodes.filter(node => node.type !== 'dataset' && !first.has(node.urn));
    if (late.length === 0) {
      return graph;
    }
    // A program that was expanded from one of its data may have touched others that are shown.
    const there = new Set(graph.nodes.map(node => node.urn));
    const rest = await Promise.all(
      late.slice(0, PROGRAMS_MOST).map(({ urn }) => this._ask({ urn, direction: 'both', levels: 1 }, signal))
    );
    return joined([...answers, ...rest.map(answer => within(answer, there))]);
  }

  private _ask(what: Pick<Question, 'urn' | 'direction' | 'levels'>, signal: AbortSignal): Promise<Lineage> {
    const { columns } = this.state.choice;
    const question = { ...what, ...this._when(), columns, limit: RELATIONS_MOST };
    return this._catalog.call('readLineage', question, { signal });
  }

  /** What was picked is picked again in the new graph, if it is still there. */
  private async _reselect(graph: IGraph): Promise<void> {
    const { node, edge } = this.state.selection;
    if (node) {
      await (graph.nodes.some(other => other.urn === node.urn) ? this.pickNode(node.urn) : this.pickNothing());
    } else if (edge) {
      const id = edgeId(edge);
      await (graph.edges.some(other => edgeId(other) === id) ? this.pickEdge(id) : this.pickNothing());
    }
  }

  private _expanded = new Map<string, { urn: string; side: Side }>();
  /** The last interval that could be asked for. */
  private _interval: Interval = { kind: 'all' };
  private _grows: string | null = null;
}
