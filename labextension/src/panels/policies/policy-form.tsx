import React from 'react';
import { useModel } from '../../components/use-model';
import { FormTools } from '../../forms/context';
import type { AspectEditor } from '../../model/editing/editor';
import type { IEffect, IRule } from '../../model/policies/rules';
import { listEffects } from '../../model/policies/rules';
import { AspectForm } from '../entity/metadata/aspect-form';
import type { IPoliciesProps } from './body';
import { describeRule, getSubjectLabel } from './labels';

function Rules(props: IPoliciesProps & { rules: readonly IRule[]; mark: string; label: string }): React.JSX.Element {
  const { rules, mark, label, trans } = props;
  return (
    <>
      {rules.map((rule, index) => (
        <li key={index} data-mark={mark}>
          <span aria-hidden="true">{mark} </span>
          <span className="jp-Colophon-visually-hidden">{label} </span>
          {describeRule(rule, trans)}
        </li>
      ))}
    </>
  );
}

function Effect(props: IPoliciesProps & { effect: IEffect }): React.JSX.Element {
  const { model, trans, effect } = props;
  const { subject, added, removed, kept } = effect;
  return (
    <>
      <dt>{getSubjectLabel(subject, model.members, trans)}</dt>
      <dd>
        <ul>
          <Rules {...props} rules={added} mark="+" label={trans.__('new:')} />
          <Rules {...props} rules={removed} mark="−" label={trans.__('removed:')} />
          <Rules {...props} rules={kept} mark="·" label={trans.__('unchanged:')} />
        </ul>
      </dd>
    </>
  );
}

/** Whom the draft concerns, and what it changes for them. */
function Impact(props: IPoliciesProps & { editor: AspectEditor }): React.JSX.Element {
  const { model, trans, editor } = props;
  const { draft } = useModel(editor);
  const { check } = useModel(model);
  const effects = React.useMemo(() => listEffects(editor.base, draft), [editor, draft]);
  return (
    <section aria-label={trans.__('Applies to')} className="jp-Colophon-policyImpact">
      <h3>{trans.__('Applies to')}</h3>
      {effects.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('No one yet.')}</p>
      ) : (
        <dl>
          {effects.map(effect => (
            <Effect key={effect.subject} {...props} effect={effect} />
          ))}
        </dl>
      )}
      {check?.staysAdmin === false && (
        <p role="status" className="jp-Colophon-warning">
          {trans.__('This change removes your own rights as an admin: you could not undo it.')}
        </p>
      )}
      {check !== null && check.warnings.length > 0 && (
        <div role="status" className="jp-Colophon-warning">
          {trans.__('Unknown names')}
          <ul>
            {check.warnings.map(({ pointer, message }) => (
              <li key={pointer}>
                <code>{pointer}</code> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** The form of a stored or new policy. */
export function PolicyForm(props: IPoliciesProps & { editor: AspectEditor }): React.JSX.Element {
  const { model, actions, tools, trans, editor } = props;
  const name = editor.urn.slice(editor.urn.lastIndexOf(':') + 1);
  const cancel = async (): Promise<void> => {
    if (!model.isDirty || (await actions.confirmDiscard())) {
      model.stopEditing();
    }
  };
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Policy %1', name)}>
      <h2>{trans.__('Policy %1', name)}</h2>
      <FormTools.Provider value={tools ?? { editors: null, renderers: null }}>
        <AspectForm key={editor.urn} editor={editor} cancel={() => void cancel()} takesKeyboard trans={trans} />
      </FormTools.Provider>
      <Impact {...props} editor={editor} />
    </section>
  );
}
