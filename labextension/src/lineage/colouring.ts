import type { IGraph } from './graph';
import { isDataType } from '../model/urns';

/** The property that colours nodes. */
export type Colouring = 'none' | 'type' | 'freshness' | 'tag';

export const COLOURINGS: readonly Colouring[] = ['none', 'type', 'freshness', 'tag'];

/** The number of colours: the most frequent categories have one each, the others share the last. */
const COLOURS = 7;

/** The name of the category that shares the last colour. */
export const OTHER = '\u2026';

const HOUR = 3_600_000;
const AGES: readonly [string, number][] = [
  ['hour', HOUR],
  ['day', 24 * HOUR],
  ['week', 7 * 24 * HOUR],
  ['month', 30 * 24 * HOUR],
  ['older', Infinity]
];

/** A category of nodes with its colour. */
interface ICategory {
  name: string;
  colour: number;
  count: number;
}

/** The colours of nodes by URN, and what they stand for. */
export interface IColours {
  of: ReadonlyMap<string, number>;
  categories: readonly ICategory[];
}

export const NO_COLOURS: IColours = { of: new Map(), categories: [] };

/** Returns when each node was written last, or for a program, when it ran last; ISO 8601. */
export function findLastTimes(graph: IGraph, now: string): Map<string, string> {
  const programs = new Set(graph.nodes.filter(node => !isDataType(node.type)).map(node => node.urn));
  const last = new Map<string, string>();
  for (const { source, target, end } of graph.edges) {
    const time = end ?? now;
    for (const urn of programs.has(source) ? [source, target] : [target]) {
      const before = last.get(urn);
      if (before === undefined || before < time) {
        last.set(urn, time);
      }
    }
  }
  return last;
}

/** Returns the category of the time since a node was written; null if it is unknown. */
function getAge(time: string | undefined, now: string): string | null {
  const age = time === undefined ? NaN : Date.parse(now) - Date.parse(time);
  return AGES.find(([, limit]) => age <= limit)?.[0] ?? null;
}

/** Counts the ages of nodes, the newest first. */
export function countAges(times: readonly (string | undefined)[], now: string): { name: string; count: number }[] {
  return rankCategories(
    times.flatMap(time => getAge(time, now) ?? []),
    true
  ).map(({ name, count }) => ({ name, count }));
}

/** Counts categories; ages keep their order, others are sorted by their frequency. */
function rankCategories(categories: Iterable<string>, isOrdered: boolean): ICategory[] {
  const counts = new Map<string, number>();
  for (const name of categories) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const getAgeRank = (name: string): number => AGES.findIndex(([age]) => age === name);
  const names = [...counts.keys()].sort(
    isOrdered ? (a, b) => getAgeRank(a) - getAgeRank(b) : (a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1)
  );
  return names.map((name, index) => ({
    name,
    colour: isOrdered ? getAgeRank(name) : Math.min(index, COLOURS - 1),
    count: counts.get(name)!
  }));
}

/** Chooses colours of nodes; those without a category have none. */
export function colourNodes(
  graph: IGraph,
  colouring: Colouring,
  tags: ReadonlyMap<string, readonly string[]>,
  now: string
): IColours {
  if (colouring === 'none') {
    return NO_COLOURS;
  }
  const times = colouring === 'freshness' ? findLastTimes(graph, now) : new Map<string, string>();
  const categoryOf = new Map<string, string>();
  for (const node of graph.nodes) {
    const category =
      colouring === 'type'
        ? node.type
        : colouring === 'freshness'
          ? getAge(times.get(node.urn), now)
          : (tags.get(node.urn)?.[0] ?? null);
    if (category !== null) {
      categoryOf.set(node.urn, category);
    }
  }
  const all = rankCategories(categoryOf.values(), colouring === 'freshness');
  const colourOf = new Map(all.map(({ name, colour }) => [name, colour]));
  const shared = all.slice(COLOURS - 1);
  const categories =
    shared.length > 1
      ? [
          ...all.slice(0, COLOURS - 1),
          { name: OTHER, colour: COLOURS - 1, count: shared.reduce((sum, { count }) => sum + count, 0) }
        ]
      : all;
  return { of: new Map([...categoryOf].map(([urn, name]) => [urn, colourOf.get(name)!])), categories };
}
