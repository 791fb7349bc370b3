import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { Retention } from '../../generated/api';
import { ExpiredVersions } from './expired-versions';
import type { IRetentionActions } from './index';
import type { RetentionModel } from './model';
import { countVersions } from './model';
import { RuleEditor } from './rule-editor';
import { RuleTable } from './rule-table';

/** What the parts of the page share. */
export interface IRetentionProps {
  model: RetentionModel;
  actions: IRetentionActions;
  trans: TranslationBundle;
}

/** Counts the versions that the rules do not keep, and deletes them after a confirmation. */
function Expiry({ model, actions, trans }: IRetentionProps): React.JSX.Element {
  const { expiry } = useModel(model);
  const isRunning = expiry?.finished === false;
  const expired = expiry?.kind === 'count' && expiry.finished ? countVersions(expiry) : 0;
  const remove = async (): Promise<void> => {
    if (await actions.confirmDeletion(expired)) {
      await model.apply('deletion');
    }
  };
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Expired versions')}>
      <h2>{trans.__('Expired versions')}</h2>
      <p className="jp-Colophon-note">
        {trans.__('The rules no longer keep these versions. One of the servers deletes them once a day.')}
      </p>
      <div className="jp-Colophon-actions">
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={isRunning}
          onClick={() => void model.apply('count')}
        >
          {trans.__('Count expired versions')}
        </button>
        {expired > 0 && (
          <button type="button" className="jp-Colophon-button" onClick={() => void remove()}>
            {trans.__('Delete them now…')}
          </button>
        )}
      </div>
      <ExpiredVersions expiry={expiry?.kind === 'preview' ? null : expiry} trans={trans} />
    </section>
  );
}

/** The rules in force. */
function Rules({ retention, trans }: { retention: Retention; trans: TranslationBundle }): React.JSX.Element {
  const { rules, changeLogDays } = retention;
  return (
    <>
      <p className="jp-Colophon-note">
        {trans.__('Where several rules match, the most specific one applies. Current versions are always kept.')}
      </p>
      {rules.length > 0 ? (
        <RuleTable label={trans.__('Rules')} rules={rules} trans={trans} />
      ) : (
        <p>{trans.__('No rules: all versions are kept.')}</p>
      )}
      <p>
        {changeLogDays === 0
          ? trans.__('Changes in the change log are kept without limit.')
          : trans._n(
              'Changes in the change log are kept for %1 day.',
              'Changes in the change log are kept for %1 days.',
              changeLogDays
            )}
      </p>
    </>
  );
}

/** The body of the page. */
export function RetentionBody(props: IRetentionProps): React.JSX.Element {
  const { model, trans } = props;
  const { retention, draft, busy, problem } = useModel(model);
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1>{trans.__('Retention rules')}</h1>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {retention && (
        <>
          <Rules retention={retention} trans={trans} />
          {draft === null ? (
            <div>
              <button type="button" className="jp-Colophon-button" onClick={() => void model.edit()}>
                {trans.__('Edit a copy of the rules…')}
              </button>
            </div>
          ) : (
            <RuleEditor {...props} draft={draft} />
          )}
          {retention.rules.length > 0 && <Expiry {...props} />}
        </>
      )}
    </div>
  );
}
