import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import type { RetentionRule } from '../../generated/api';
import { ANY, DAY_S, getPlace } from './model';

const HOUR_S = 3600;

function formatAge(seconds: number, trans: TranslationBundle): string {
  if (seconds % DAY_S === 0) {
    return trans._n('%1 day', '%1 days', seconds / DAY_S);
  }
  return seconds % HOUR_S === 0
    ? trans._n('%1 hour', '%1 hours', seconds / HOUR_S)
    : trans._n('%1 second', '%1 seconds', seconds);
}

/** Returns what a rule is for, as text. */
export function describePlace({ namespace, entity, aspect }: RetentionRule, trans: TranslationBundle): string {
  const names = [namespace, entity, aspect].map(name => (name === ANY ? trans.__('any') : name));
  return names.join(', ');
}

/** Rules in a table; `renderActions` adds a column with buttons for each. */
export function RuleTable(props: {
  label: string;
  rules: readonly RetentionRule[];
  renderActions?: (rule: RetentionRule, index: number) => React.ReactNode;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { label, rules, renderActions, trans } = props;
  const name = (text: string, shown = text): string => (text === ANY ? trans.__('any') : shown);
  return (
    <ScrollableTable label={label}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Namespace')}</th>
          <th scope="col">{trans.__('Entity type')}</th>
          <th scope="col">{trans.__('Aspect')}</th>
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Most versions')}
          </th>
          <th scope="col">{trans.__('Kept after replacement')}</th>
          {renderActions && <th scope="col">{trans.__('Actions')}</th>}
        </tr>
      </thead>
      <tbody>
        {rules.map((rule, index) => (
          <tr key={getPlace(rule)}>
            <td>{name(rule.namespace)}</td>
            <td>{name(rule.entity, getTypeLabel(rule.entity, trans))}</td>
            <td>{name(rule.aspect)}</td>
            <td className="jp-Colophon-number">{rule.maxVersions?.toLocaleString() ?? trans.__('no limit')}</td>
            <td>{rule.maxAgeInSeconds === null ? trans.__('no limit') : formatAge(rule.maxAgeInSeconds, trans)}</td>
            {renderActions && <td>{renderActions(rule, index)}</td>}
          </tr>
        ))}
      </tbody>
    </ScrollableTable>
  );
}
