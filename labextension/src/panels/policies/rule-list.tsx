import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { PolicyContent } from '../../generated/api';
import { readRules } from '../../model/policies/rules';
import { describeRule, getSubjectLabel } from './labels';

/** The rules of a policy in words, with their lines in the file. */
export function RuleList(props: {
  content: PolicyContent;
  members: ReadonlyMap<string, readonly string[]>;
  close: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { content, members, close, trans } = props;
  const { name, origin, document, lines, problem, policy } = content;
  const rules = readRules(document);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Rules of %1', name)}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Rules of %1', name)}</h2>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Close')}
        </button>
      </div>
      {origin === 'file' && <p className="jp-Colophon-note">{trans.__('Edit the file to change it: %1', policy)}</p>}
      {problem !== '' && (
        <p role="note" className="jp-Colophon-warning">
          {problem}
        </p>
      )}
      {rules.length > 0 ? (
        <ol className="jp-Colophon-rules">
          {rules.map((rule, index) => (
            <li key={index}>
              <strong>{rule.to.map(subject => getSubjectLabel(subject, members, trans)).join(', ')}</strong>{' '}
              {describeRule(rule, trans)}
              {lines[index] !== undefined && (
                <span className="jp-Colophon-note"> {trans.__('line %1', lines[index])}</span>
              )}
            </li>
          ))}
        </ol>
      ) : (
        <p className="jp-Colophon-note">{trans.__('No rules.')}</p>
      )}
    </section>
  );
}
