import type { TranslationBundle } from '@jupyterlab/translation';
import { formatRelativeTime } from '../../components/relative-time';
import type { IAppearance } from '../../lineage/card-layer';
import type { IBadge } from '../../lineage/cards';
import { findLastTimes } from '../../lineage/colouring';
import type { IGraph } from '../../lineage/graph';
import type { ILineageDecoration, ILineageNode, INodeDecoration } from '../../tokens';
import type { ILineageState } from './model';

/** Returns the number of runs of each program: that of its most frequent edge. */
function countRuns(graph: IGraph): Map<string, number> {
  const programs = new Set(graph.nodes.filter(node => node.type === 'dataJob').map(node => node.urn));
  const counts = new Map<string, number>();
  for (const { source, target, runCount } of graph.edges) {
    const program = programs.has(source) ? source : target;
    if (programs.has(program)) {
      counts.set(program, Math.max(counts.get(program) ?? 0, runCount));
    }
  }
  return counts;
}

/** Describes the property that colours the nodes in words, as colours alone are not sufficient. */
function describeColours(state: ILineageState, now: number, trans: TranslationBundle): Map<string, string> {
  const { options, scene, tags } = state;
  if (options.colouring === 'freshness') {
    const times = findLastTimes(scene.graph, new Date(now).toISOString());
    return new Map([...times].map(([urn, time]) => [urn, formatRelativeTime(time, now, trans)]));
  }
  return options.colouring === 'tag'
    ? new Map([...tags].flatMap(([urn, names]) => (names.length > 0 ? [[urn, names.join(', ')]] : [])))
    : new Map<string, string>();
}

/** Returns the badge of the mark of an extension; none if it has no text. */
function createBadges(mark: INodeDecoration | null): IBadge[] {
  return mark?.badge === undefined ? [] : [{ text: mark.badge, title: mark.title ?? mark.badge }];
}

/** Creates what the cards show in addition to their nodes. */
export function createAppearance(
  state: ILineageState,
  decorations: readonly ILineageDecoration[],
  now: number,
  trans: TranslationBundle
): IAppearance {
  const badges = new Map<string, readonly IBadge[]>();
  const marks = new Map<string, string>();
  const decoration = decorations.find(({ id }) => id === state.options.decoration);
  const runs = countRuns(state.scene.graph);
  for (const node of state.scene.graph.nodes) {
    const count = runs.get(node.urn) ?? 0;
    const own = count > 1 ? [{ text: `×${count.toLocaleString()}`, title: trans._n('%1 run', '%1 runs', count) }] : [];
    const mark = node.members ? null : (decoration?.decorate(node as ILineageNode) ?? null);
    if (mark?.color !== undefined) {
      marks.set(node.urn, mark.color);
    }
    const all = [...own, ...createBadges(mark)];
    if (all.length > 0) {
      badges.set(node.urn, all);
    }
  }
  return { colours: state.colours.of, details: describeColours(state, now, trans), badges, marks };
}
