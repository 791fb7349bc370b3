import { isObject } from '../schemas/form-schema';

/** The parts of the catalog that a rule can name. */
const CONDITIONS = ['namespace', 'schemaspace', 'type', 'urnPrefix', 'tag', 'domain', 'owner'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** A rule of an access policy: a role that it grants, or permissions that it denies or whose use it has reviewed. */
export interface IRule {
  /** Null for a rule that grants none. */
  role: string | null;
  denied: readonly string[];
  reviewed: readonly string[];
  to: readonly string[];
  /** The conditions that are given; all of the catalog without any. */
  on: ReadonlyMap<Condition, readonly string[]>;
  /** Whether it concerns only certified entities. */
  certified: boolean;
}

/** What a change of a policy means for a user, a group, the owners or everyone. */
export interface IEffect {
  subject: string;
  added: readonly IRule[];
  removed: readonly IRule[];
  kept: readonly IRule[];
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function readRule(value: unknown): IRule {
  const rule = isObject(value) ? value : {};
  const on = isObject(rule['on']) ? rule['on'] : {};
  const conditions = CONDITIONS.map(name => [name, listTexts(on[name])] as const);
  return {
    role: typeof rule['role'] === 'string' ? rule['role'] : null,
    denied: listTexts(rule['deny']),
    reviewed: listTexts(rule['review']),
    to: listTexts(rule['to']),
    on: new Map(conditions.filter(([, values]) => values.length > 0)),
    certified: on['certified'] === true
  };
}

/** Reads the rules of a document, which may be invalid. */
export function readRules(document: unknown): IRule[] {
  const rules = isObject(document) ? document['rules'] : undefined;
  return Array.isArray(rules) ? rules.map(readRule) : [];
}

/** Reads the rules that count: none of a disabled policy, and none without an effect. */
function readEffectiveRules(document: unknown): IRule[] {
  const isDisabled = isObject(document) && document['enabled'] === false;
  return isDisabled
    ? []
    : readRules(document).filter(({ role, denied, reviewed }) => role !== null || denied.length + reviewed.length > 0);
}

/** Identifies the meaning of a rule, regardless of whom it concerns. */
function getMeaning({ role, denied, reviewed, certified, on }: IRule): string {
  const permissions = [[...denied].sort(), [...reviewed].sort()];
  return JSON.stringify([role, ...permissions, certified, [...on].map(([name, values]) => [name, [...values].sort()])]);
}

/** Groups rules by whom they concern, and by their meaning. */
function groupBySubject(rules: readonly IRule[]): Map<string, Map<string, IRule>> {
  const subjects = new Map<string, Map<string, IRule>>();
  for (const rule of rules) {
    for (const subject of rule.to) {
      const own = subjects.get(subject) ?? new Map<string, IRule>();
      subjects.set(subject, own.set(getMeaning(rule), rule));
    }
  }
  return subjects;
}

/** Lists whom a change of a policy concerns, and what changes for them; those for whom nothing changes come last. */
export function listEffects(before: unknown, after: unknown): IEffect[] {
  const old = groupBySubject(readEffectiveRules(before));
  const now = groupBySubject(readEffectiveRules(after));
  const effects = [...new Set([...now.keys(), ...old.keys()])].map(subject => {
    const [was, is] = [old.get(subject) ?? new Map<string, IRule>(), now.get(subject) ?? new Map<string, IRule>()];
    return {
      subject,
      added: [...is].filter(([meaning]) => !was.has(meaning)).map(([, rule]) => rule),
      removed: [...was].filter(([meaning]) => !is.has(meaning)).map(([, rule]) => rule),
      kept: [...is].filter(([meaning]) => was.has(meaning)).map(([, rule]) => rule)
    };
  });
  const isChanged = ({ added, removed }: IEffect): boolean => added.length + removed.length > 0;
  return [...effects.filter(isChanged), ...effects.filter(effect => !isChanged(effect))];
}
