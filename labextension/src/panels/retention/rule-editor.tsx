import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { SourceText } from '../../components/source-text';
import { useModel } from '../../components/use-model';
import type { RetentionRule } from '../../generated/api';
import type { IRetentionProps } from './body';
import { ExpiredVersions } from './expired-versions';
import { formatSetting } from './model';
import { NEW_RULE, RuleForm } from './rule-form';
import { describePlace, RuleTable } from './rule-table';

/** Edits a copy of the rules, counts what it would delete, and formats it for the configuration of the server. */
export function RuleEditor(props: IRetentionProps & { draft: readonly RetentionRule[] }): React.JSX.Element {
  const { model, actions, draft, trans } = props;
  const { expiry, types } = useModel(model);
  // The number of the rule in the form; that of a new one follows the last. Null without a form.
  const [edited, setEdited] = React.useState<number | null>(null);
  // The button that opened the form; that for a new rule is replaced by it.
  const opener = React.useRef<HTMLElement | null>(null);
  const newRuleButton = React.useRef<HTMLButtonElement>(null);
  const open = (index: number, button: HTMLElement): void => {
    opener.current = button;
    setEdited(index);
  };
  React.useEffect(() => {
    if (edited === null && opener.current !== null) {
      (opener.current.isConnected ? opener.current : newRuleButton.current)?.focus();
      opener.current = null;
    }
  }, [edited]);
  const setting = formatSetting(draft);
  const close = async (): Promise<void> => {
    if (!model.isDirty || (await actions.confirmDiscard())) {
      model.stopEditing();
    }
  };
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Edited rules')}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Edited rules')}</h2>
        <button type="button" className="jp-Colophon-button" onClick={() => void close()}>
          {trans.__('Close')}
        </button>
      </div>
      <p className="jp-Colophon-note">
        {trans.__(
          'The rules are part of the configuration of the server, which this page cannot change. Edit a copy here, and see what it would delete. Then copy the setting to jupyter_server_config.py and restart the server.'
        )}
      </p>
      {draft.length > 0 && (
        <RuleTable
          label={trans.__('Edited rules')}
          rules={draft}
          trans={trans}
          renderActions={(rule, index) => (
            <>
              <button
                type="button"
                className="jp-Colophon-button"
                aria-label={trans.__('Edit the rule for %1', describePlace(rule, trans))}
                onClick={event => open(index, event.currentTarget)}
              >
                {trans.__('Edit')}
              </button>{' '}
              <button
                type="button"
                className="jp-Colophon-button"
                aria-label={trans.__('Remove the rule for %1', describePlace(rule, trans))}
                onClick={() => {
                  setEdited(null);
                  model.setRule(index, null);
                }}
              >
                {trans.__('Remove')}
              </button>
            </>
          )}
        />
      )}
      {edited === null ? (
        <button
          ref={newRuleButton}
          type="button"
          className="jp-Colophon-prompt"
          onClick={event => open(draft.length, event.currentTarget)}
        >
          <addIcon.react tag="span" width="14px" />
          {trans.__('New rule')}
        </button>
      ) : (
        <RuleForm
          key={edited}
          rule={draft[edited] ?? NEW_RULE}
          others={draft.filter((_, index) => index !== edited)}
          types={types}
          accept={rule => {
            setEdited(null);
            model.setRule(edited, rule);
          }}
          close={() => setEdited(null)}
          trans={trans}
        />
      )}
      <SourceText label={trans.__('Setting')} text={setting} />
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => actions.copy(setting)}>
          {trans.__('Copy the setting')}
        </button>
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={expiry?.finished === false}
          onClick={() => void model.apply('preview')}
        >
          {trans.__('Count what they would delete')}
        </button>
      </div>
      <ExpiredVersions expiry={expiry?.kind === 'preview' ? expiry : null} trans={trans} />
    </section>
  );
}
