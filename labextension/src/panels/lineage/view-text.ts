import type { Side } from '../../lineage/graph';
import { SIDES } from '../../lineage/graph';
import { COLOURINGS } from '../../lineage/colouring';
import type { IFolding } from '../../lineage/folding';
import { NO_FOLDING } from '../../lineage/folding';
import { GROUPINGS } from '../../lineage/grouping';
import { toUtc } from '../../model/interval';
import type { ILineageOptions } from './options';
import { DEFAULT_OPTIONS, toLocalTime } from './options';

/** One side of a node. */
export interface INodeSide {
  urn: string;
  side: Side;
}

/** What a lineage graph shows, how, and what the user expanded, collapsed and picked in it. */
export interface ILineageView {
  options: ILineageOptions;
  /** The sides whose hidden neighbours were added. */
  expanded: readonly INodeSide[];
  folding: IFolding;
  /** The ends of the picked path. */
  path: { from: string; to: string } | null;
}

const DIRECTIONS: readonly ILineageOptions['direction'][] = ['both', 'upstream', 'downstream', 'undirected'];
const INTERVALS = ['all', 'hour', 'day', 'week'] as const;
const MAX_LEVELS = 20;

/** Lists the parameters of options; defaults are omitted, and times do not depend on the time zone. */
function listOptions(options: ILineageOptions): [string, string][] {
  const { interval } = options;
  const isCustom = interval.kind === 'custom';
  const members: Record<string, string | undefined> = {
    direction: options.direction,
    levels: String(options.levels),
    interval: isCustom ? undefined : interval.kind,
    from: isCustom ? toUtc(interval.from) : undefined,
    to: isCustom ? toUtc(interval.to) : undefined,
    asOf: toUtc(options.asOf),
    since: toUtc(options.since),
    columns: options.columns ? 'shown' : undefined,
    control: options.control ? undefined : 'hidden',
    variables: options.variables ? 'shown' : undefined,
    group: options.grouping,
    colour: options.colouring,
    marks: options.decoration
  };
  const isDefault = (value: string | undefined): boolean => ['', 'none', 'all', undefined].includes(value);
  return Object.entries(members).flatMap(([name, value]) => (isDefault(value) ? [] : [[name, value ?? '']]));
}

/** Formats a view as a text for a link and for the layout of JupyterLab. */
export function formatView(view: Pick<ILineageView, 'options'> & Partial<ILineageView>): string {
  const { options, expanded = [], folding = NO_FOLDING, path = null } = view;
  return new URLSearchParams([
    ...listOptions(options),
    ...expanded.map(({ urn, side }) => ['expanded', `${side} ${urn}`]),
    ...[...folding.collapsed].map(side => ['collapsed', side]),
    ...[...folding.openGroups].map(group => ['open', group]),
    ...[...folding.pages].map(([cluster, count]) => ['shown', `${count} ${cluster}`]),
    ...[...folding.kept].map(urn => ['kept', urn]),
    ...(path ? [path.from, path.to].map(urn => ['path', urn]) : [])
  ]).toString();
}

function choose<T extends string>(chosen: unknown, values: readonly T[]): T | undefined {
  return values.find(value => value === chosen);
}

function parseTime(text: string | null): string {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? '' : toLocalTime(time);
}

/** Parses a number of levels; undefined if it is not valid. */
export function parseLevels(value: unknown): number | undefined {
  const levels = Number(value);
  return Number.isInteger(levels) && levels >= 1 && levels <= MAX_LEVELS ? levels : undefined;
}

/** Parses a direction; undefined if it is not valid. */
export function parseDirection(value: unknown): ILineageOptions['direction'] | undefined {
  return choose(value, DIRECTIONS);
}

function parseOptions(view: URLSearchParams): ILineageOptions {
  const [from, to] = [parseTime(view.get('from')), parseTime(view.get('to'))];
  return {
    direction: parseDirection(view.get('direction')) ?? DEFAULT_OPTIONS.direction,
    levels: parseLevels(view.get('levels')) ?? DEFAULT_OPTIONS.levels,
    interval:
      from !== '' || to !== ''
        ? { kind: 'custom', from, to }
        : { kind: choose(view.get('interval'), INTERVALS) ?? 'all' },
    asOf: parseTime(view.get('asOf')),
    since: parseTime(view.get('since')),
    columns: view.get('columns') === 'shown',
    control: view.get('control') !== 'hidden',
    variables: view.get('variables') === 'shown',
    grouping: choose(view.get('group'), GROUPINGS) ?? 'none',
    colouring: choose(view.get('colour'), COLOURINGS) ?? 'none',
    decoration: view.get('marks') ?? ''
  };
}

/** Splits a value at its first space; null if it has none. */
function splitAtSpace(text: string): [string, string] | null {
  const at = text.indexOf(' ');
  return at < 0 ? null : [text.slice(0, at), text.slice(at + 1)];
}

function parseSides(texts: readonly string[]): INodeSide[] {
  return texts.flatMap(text => {
    const [word, urn] = splitAtSpace(text) ?? ['', ''];
    const side = choose(word, SIDES);
    return side === undefined ? [] : [{ urn, side }];
  });
}

function parsePages(texts: readonly string[]): Map<string, number> {
  return new Map(
    texts.flatMap((text): [string, number][] => {
      const [count, cluster] = splitAtSpace(text) ?? ['', ''];
      return /^\d{1,6}$/.test(count) ? [[cluster, Number(count)]] : [];
    })
  );
}

/** Parses the text of a view; what it does not name has its default, and invalid values are ignored. */
export function parseView(text: string): ILineageView {
  const view = new URLSearchParams(text);
  const options = parseOptions(view);
  const [from, to] = view.getAll('path');
  return {
    options,
    expanded: parseSides(view.getAll('expanded')),
    folding: {
      grouping: options.grouping,
      collapsed: new Set(view.getAll('collapsed')),
      openGroups: new Set(view.getAll('open')),
      pages: parsePages(view.getAll('shown')),
      kept: new Set(view.getAll('kept'))
    },
    path: from === undefined || to === undefined ? null : { from, to }
  };
}
