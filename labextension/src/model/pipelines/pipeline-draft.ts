import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { PipelinePlugins } from '../../generated/api';
import { isObject } from '../schemas/form-schema';
import { getInitialValue } from '../instances/instance-schema';
import { getValueAt, setValueAt } from '../schemas/pointer';
import { resolveRefs } from '../schemas/resolve-refs';

/** The types of stages that have output rows. */
const OUTPUT_TYPES: ReadonlySet<string> = new Set(['source', 'transform', 'aggregator', 'joiner']);

const STAGES = '/metadata/stages';
const CONNECTIONS = '/metadata/connections';
const MAX_NAME_LENGTH = 60;

/** A plugin for stages. */
export type StagePlugin = PipelinePlugins['plugins'][number];

/** A stage of a draft; missing members are empty. */
export interface IStageDraft {
  name: string;
  type: string;
  plugin: string;
}

/** A connection of a draft, by the names of its stages. */
export interface IConnectionDraft {
  from: string;
  to: string;
}

/** Why a connection cannot be added. */
export type ConnectionObstacle = 'same' | 'exists' | 'cycle' | 'no-input' | 'full';

type Draft = ReadonlyJSONObject;

function listItems(draft: Draft, pointer: string): readonly ReadonlyJSONObject[] {
  const items = getValueAt(draft, pointer);
  return Array.isArray(items) ? items.map((item: ReadonlyJSONValue) => (isObject(item) ? item : {})) : [];
}

function getText(item: ReadonlyJSONObject, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the location of a stage. */
export function getStagePointer(index: number): string {
  return `${STAGES}/${index}`;
}

/** Lists the stages of a draft. */
export function listStages(draft: Draft): IStageDraft[] {
  return listItems(draft, STAGES).map(item => ({
    name: getText(item, 'name'),
    type: getText(item, 'type'),
    plugin: getText(item, 'plugin')
  }));
}

/** Lists the connections of a draft, including those whose stages do not exist. */
export function listConnections(draft: Draft): IConnectionDraft[] {
  return listItems(draft, CONNECTIONS).map(item => ({ from: getText(item, 'from'), to: getText(item, 'to') }));
}

/** Whether a stage or a plugin has output rows. */
export function hasOutput({ type }: Pick<IStageDraft, 'type'>): boolean {
  return OUTPUT_TYPES.has(type);
}

/** Whether a plugin accepts rows of other stages. */
export function takesInput({ inputs }: Pick<StagePlugin, 'inputs'>): boolean {
  return inputs[1] !== 0;
}

/** Returns the indexes of the stages in order of execution; stages on a cycle are at the end. */
export function orderStages(stages: readonly IStageDraft[], connections: readonly IConnectionDraft[]): number[] {
  const indexes = new Map(stages.map(({ name }, index) => [name, index]));
  const edges = connections.flatMap(({ from, to }) => {
    const [source, target] = [indexes.get(from), indexes.get(to)];
    return source === undefined || target === undefined ? [] : [[source, target] as const];
  });
  const waiting = stages.map((_, index) => edges.filter(([, target]) => target === index).length);
  const ordered: number[] = [];
  const isFirst = (index: number): boolean => waiting[index] === 0 && !ordered.includes(index);
  for (;;) {
    const ready = stages.map((_, index) => index).filter(isFirst);
    const next = ready.find(index => hasOutput(stages[index]!)) ?? ready[0];
    if (next === undefined) {
      return [...ordered, ...stages.map((_, index) => index).filter(index => !ordered.includes(index))];
    }
    ordered.push(next);
    edges.filter(([source]) => source === next).forEach(([, target]) => (waiting[target]! -= 1));
  }
}

function setConnections(draft: Draft, connections: readonly IConnectionDraft[]): Draft {
  return setValueAt(draft, CONNECTIONS, connections);
}

/** Returns an unused name for a stage with a plugin: `join`, then `join_2`. */
function createStageName(stages: readonly IStageDraft[], plugin: string): string {
  const base = plugin.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, MAX_NAME_LENGTH);
  const first = /^[A-Za-z_]/.test(base) ? base : `stage_${base}`.slice(0, MAX_NAME_LENGTH);
  const used = new Set(stages.map(({ name }) => name.toLowerCase()));
  let name = first;
  for (let number = 2; used.has(name.toLowerCase()); number++) {
    name = `${first}_${number}`;
  }
  return name;
}

/** Where to add a stage: after one, before one, or both, replacing their connection. */
export type StagePlace = Partial<IConnectionDraft>;

/** Adds a stage with a plugin at the end of the list, with the connections of its place. */
export function addStage(draft: Draft, plugin: StagePlugin, place: StagePlace): Draft {
  const stages = listStages(draft);
  const name = createStageName(stages, plugin.name);
  const properties = getInitialValue(resolveRefs(plugin.schema)) ?? {};
  const stage = { name, type: plugin.type, plugin: plugin.name, properties };
  const { from, to } = place;
  const kept = listConnections(draft).filter(
    connection => from === undefined || to === undefined || connection.from !== from || connection.to !== to
  );
  const added = [
    ...(from === undefined ? [] : [{ from, to: name }]),
    ...(to === undefined ? [] : [{ from: name, to }])
  ];
  return setConnections(setValueAt(draft, STAGES, [...listItems(draft, STAGES), stage]), [...kept, ...added]);
}

/** Removes a stage and its connections. */
export function removeStage(draft: Draft, index: number): Draft {
  const items = listItems(draft, STAGES);
  const name = getText(items[index] ?? {}, 'name');
  const isUnique = listStages(draft).filter(stage => stage.name === name).length === 1;
  const connections = listConnections(draft).filter(({ from, to }) => !isUnique || (from !== name && to !== name));
  return setConnections(
    setValueAt(
      draft,
      STAGES,
      items.filter((_, at) => at !== index)
    ),
    connections
  );
}

/** Renames a stage, also in its connections; other stages with the old name keep theirs. */
export function renameStage(draft: Draft, index: number, name: string): Draft {
  const old = listStages(draft)[index]?.name;
  const renamed = setValueAt(draft, `${getStagePointer(index)}/name`, name);
  if (old === undefined || listStages(draft).filter(stage => stage.name === old).length !== 1) {
    return renamed;
  }
  const rename = (end: string): string => (end === old ? name : end);
  return setConnections(
    renamed,
    listConnections(draft).map(({ from, to }) => ({ from: rename(from), to: rename(to) }))
  );
}

/** Adds a connection. */
export function addConnection(draft: Draft, connection: IConnectionDraft): Draft {
  return setConnections(draft, [...listConnections(draft), connection]);
}

/** Removes a connection. */
export function removeConnection(draft: Draft, { from, to }: IConnectionDraft): Draft {
  return setConnections(
    draft,
    listConnections(draft).filter(connection => connection.from !== from || connection.to !== to)
  );
}

/** Whether a stage can be reached from another one over the connections. */
function isReachable(connections: readonly IConnectionDraft[], from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const name of reached) {
    connections.filter(connection => connection.from === name).forEach(connection => reached.add(connection.to));
  }
  return reached.has(to);
}

/** Returns why a connection cannot be added to a draft; null if it can. */
export function findObstacle(
  draft: Draft,
  { from, to }: IConnectionDraft,
  plugins: readonly StagePlugin[]
): ConnectionObstacle | null {
  const [stages, connections] = [listStages(draft), listConnections(draft)];
  const [source, target] = [from, to].map(name => stages.find(stage => stage.name === name));
  if (from === to || !source || !target) {
    return 'same';
  }
  if (connections.some(connection => connection.from === from && connection.to === to)) {
    return 'exists';
  }
  if (isReachable(connections, to, from)) {
    return 'cycle';
  }
  if (!hasOutput(source)) {
    // Such a connection only sets the order.
    return null;
  }
  if (target.type === 'source' || target.type === 'action') {
    return 'no-input';
  }
  const plugin = plugins.find(({ type, name }) => type === target.type && name === target.plugin);
  const most = plugin?.inputs[1] ?? Infinity;
  const inputs = connections.filter(
    connection =>
      connection.to === to && stages.some(({ name, type }) => name === connection.from && hasOutput({ type }))
  );
  return inputs.length >= most ? 'full' : null;
}
