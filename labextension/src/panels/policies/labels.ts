import type { TranslationBundle } from '@jupyterlab/translation';
import type { Condition, IRule } from '../../model/policies/rules';

/** Returns what a role is called. */
function getRoleLabel(role: string, trans: TranslationBundle): string {
  switch (role) {
    case 'viewer':
      return trans.__('viewer');
    case 'contributor':
      return trans.__('contributor');
    case 'steward':
      return trans.__('steward');
    case 'admin':
      return trans.__('admin');
    case 'agent':
      return trans.__('agent');
    default:
      return role;
  }
}

/** Returns what a permission permits. */
export function getPermissionLabel(permission: string, trans: TranslationBundle): string {
  switch (permission) {
    case 'read':
      return trans.__('read');
    case 'annotate':
      return trans.__('annotate');
    case 'emit':
      return trans.__('emit');
    case 'edit':
      return trans.__('edit');
    case 'govern':
      return trans.__('govern');
    case 'delete':
      return trans.__('delete');
    case 'admin':
      return trans.__('administer');
    default:
      return permission;
  }
}

/** Returns whom a rule concerns, with the members of a group that are known. */
export function getSubjectLabel(
  subject: string,
  members: ReadonlyMap<string, readonly string[]>,
  trans: TranslationBundle
): string {
  const [kind, name] = /^(user|group):(.+)$/.exec(subject)?.slice(1) ?? [];
  if (kind === 'user') {
    return trans.__('user %1', name);
  }
  if (kind === 'group') {
    const users = members.get(name ?? '');
    return users === undefined ? trans.__('group %1', name) : trans.__('group %1 (%2)', name, users.join(', '));
  }
  if (subject === '*') {
    return trans.__('everyone');
  }
  return subject === 'owner' ? trans.__('owners of an entity') : subject;
}

function getConditionLabel(condition: Condition, values: string, trans: TranslationBundle): string {
  switch (condition) {
    case 'namespace':
      return trans.__('namespace %1', values);
    case 'schemaspace':
      return trans.__('schemaspace %1', values);
    case 'type':
      return trans.__('entity type %1', values);
    case 'urnPrefix':
      return trans.__('URNs that begin with %1', values);
    case 'tag':
      return trans.__('tag %1', values);
    case 'domain':
      return trans.__('domain %1', values);
    case 'owner':
      return trans.__('owner %1', values);
  }
}

function joinPermissions(permissions: readonly string[], trans: TranslationBundle): string {
  return permissions.map(permission => getPermissionLabel(permission, trans)).join(trans.__(' or '));
}

/** Describes what a rule grants, denies or has reviewed, and on what. */
export function describeRule(rule: IRule, trans: TranslationBundle): string {
  const { role, denied, reviewed, certified } = rule;
  const conditions = [...rule.on].map(([condition, values]) =>
    getConditionLabel(condition, values.join(trans.__(' or ')), trans)
  );
  if (certified) {
    conditions.push(trans.__('certified entities'));
  }
  const on = conditions.length === 0 ? trans.__('everything') : conditions.join(', ');
  if (role !== null) {
    return trans.__('%1: %2', getRoleLabel(role, trans), on);
  }
  if (reviewed.length === 0) {
    return trans.__('may not %1: %2', joinPermissions(denied, trans), on);
  }
  // Changes of instances cannot be proposed.
  const proposed = reviewed.filter(permission => permission !== 'edit');
  const parts = [
    ...(proposed.length > 0 ? [trans.__('may %1 after a review: %2', joinPermissions(proposed, trans), on)] : []),
    ...(proposed.length < reviewed.length ? [trans.__('only stewards edit instances: %1', on)] : [])
  ];
  return parts.join('; ');
}
