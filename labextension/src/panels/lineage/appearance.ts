import type { TranslationBundle } from '@jupyterlab/translation';
import { formatRelativeTime } from '../../components/relative-time';
import type { IAppearance } from '../../lineage/card-layer';
import type { IBadge } from '../../lineage/cards';
import { findLastTimes } from '../../lineage/colouring';
import type { ILineageDecoration, ILineageNode, INodeDecoration } from '../../tokens';
import type { ILineageState } from './model';
import { createQualityBadges } from './quality-badges';
import { createRunBadges } from './run-badges';

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
  const runs = createRunBadges(state.whole, trans);
  for (const node of state.scene.graph.nodes) {
    const mark = node.members ? null : (decoration?.decorate(node as ILineageNode) ?? null);
    if (mark?.color !== undefined) {
      marks.set(node.urn, mark.color);
    }
    const quality = createQualityBadges(state.quality, node.urn, trans);
    const all = [...(runs.get(node.urn) ?? []), ...quality, ...createBadges(mark)];
    if (all.length > 0) {
      badges.set(node.urn, all);
    }
  }
  return { colours: state.colours.of, details: describeColours(state, now, trans), badges, marks };
}
