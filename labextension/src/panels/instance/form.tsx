import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import { useModel } from '../../components/use-model';
import { Conflict } from '../../forms/conflict';
import type { IFormEnvironment } from '../../forms/context';
import { useFormContext } from '../../forms/context';
import { SchemaForm } from '../../forms/schema-form';
import { checkOf } from '../../forms/validation';
import type { Editor } from '../../model/editor';
import type { Schema } from '../../model/form-schema';
import { instanceForm } from '../../model/instance-schema';
import { comparable } from '../../model/instance-view';
import { secretPlaces } from '../../model/secrets';
import type { IRendererNames } from '../../model/ui-schema';
import { instanceUi } from '../../model/ui-schema';
import type { InstanceModel } from './model';

interface IFormProps {
  model: InstanceModel;
  editor: Editor;
  schema: Schema;
  trans: TranslationBundle;
}

function useFormSchema({ model, schema, trans }: IFormProps): RJSFSchema {
  const { isNew } = model;
  return React.useMemo(() => {
    const words = {
      displayName: trans.__('Display name'),
      name: trans.__('Name in files and addresses'),
      nameHelp: trans.__('Cannot be changed later. Defaults to a name derived from the display name.')
    };
    return instanceForm(schema, isNew, words);
  }, [schema, isNew, trans]);
}

function languageOf(draft: ReadonlyJSONObject): string {
  const metadata = draft['metadata'] as ReadonlyJSONObject | undefined;
  const language = metadata?.['language'];
  return typeof language === 'string' ? language : '';
}

function useEnvironment({ model, editor }: IFormProps): IFormEnvironment {
  const language = languageOf(useModel(editor).draft);
  const { choices, mayEdit, findings, plugins } = useModel(model);
  const loadChoices = React.useCallback((pointer: string) => model.offer(pointer), [model]);
  const loadPlugins = React.useCallback(() => model.loadPlugins(), [model]);
  return React.useMemo(
    () => ({
      root: '/metadata',
      readOnly: !mayEdit,
      language,
      choices,
      loadChoices,
      plugins,
      loadPlugins,
      findings
    }),
    [language, choices, loadChoices, plugins, loadPlugins, mayEdit, findings]
  );
}

/** The differences between two versions, and the choice of one. */
function InstanceConflict(props: IFormProps & { form: RJSFSchema }): React.JSX.Element {
  const { editor, form, trans } = props;
  const view = React.useCallback(
    (value: ReadonlyJSONObject) => {
      const words = { displayName: trans.__('Display name'), kept: trans.__('(secret)') };
      return comparable(value, form, secretPlaces(form), words);
    },
    [form, trans]
  );
  return <Conflict editor={editor} view={view} trans={trans} />;
}

/** A form for an instance, made from its schema. */
export default function InstanceForm(props: IFormProps): React.JSX.Element {
  const { editor, schema, trans } = props;
  const form = useFormSchema(props);
  const context = useFormContext(editor, useEnvironment(props), trans);
  const dialect = schema['$schema'];
  const ui = React.useCallback((names: IRendererNames) => instanceUi(form as Schema, names), [form]);
  React.useEffect(() => editor.checkWith(checkOf(form, dialect, trans)), [editor, form, dialect, trans]);
  return (
    <>
      <SchemaForm schema={form} dialect={dialect} ui={ui} context={context} onChange={draft => editor.edit(draft)} />
      <InstanceConflict {...props} form={form} />
    </>
  );
}
