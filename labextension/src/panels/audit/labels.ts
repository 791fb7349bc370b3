import type { TranslationBundle } from '@jupyterlab/translation';
import type { AuditEntry } from '../../generated/api';

type Action = AuditEntry['action'];

/** Returns what an action is called, and what it means. */
export function describeAction(action: Action, trans: TranslationBundle): readonly [string, string] {
  switch (action) {
    case 'read':
      return [trans.__('read'), trans.__('the metadata was read')];
    case 'list':
      return [trans.__('list'), trans.__('it was in a list or an export')];
    case 'search':
      return [trans.__('search'), trans.__('it was among the hits of a search')];
    case 'lineage':
      return [trans.__('lineage'), trans.__('it was in a lineage graph')];
    case 'runs':
      return [trans.__('runs'), trans.__('it was in a list of runs')];
    case 'relationships':
      return [trans.__('relationships'), trans.__('it was in a list of relationships')];
    case 'changes':
      return [trans.__('changes'), trans.__('a change of it was delivered')];
    case 'change':
      return [trans.__('change'), trans.__('the metadata was changed or deleted')];
    case 'access':
      return [trans.__('access'), trans.__('a run read or wrote the data')];
    case 'admin':
      return [trans.__('admin'), trans.__('an operation of administrators')];
  }
}

export function getOutcomeLabel(outcome: AuditEntry['outcome'], trans: TranslationBundle): string {
  return outcome === 'allowed' ? trans.__('allowed') : trans.__('denied');
}
