import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import { useModel } from '../../components/use-model';
import { Conflict } from '../../forms/conflict';
import type { IFormEnvironment } from '../../forms/context';
import { useFormContext } from '../../forms/context';
import { SchemaForm } from '../../forms/schema-form';
import { createCheck } from '../../forms/validation';
import type { Editor } from '../../model/editing/editor';
import type { Schema } from '../../model/schemas/form-schema';
import { toInstanceForm } from '../../model/instances/instance-schema';
import { createNamePlace, formatReadable } from '../../model/instances/instance-view';
import { getStagePointer } from '../../model/pipelines/pipeline-draft';
import type { PipelinePart } from '../../model/pipelines/pipeline-form';
import { restrictPipelineForm } from '../../model/pipelines/pipeline-form';
import type { IValidationError } from '../../model/problem';
import { findSecretPaths, removeSecrets } from '../../model/instances/secrets';
import type { IRendererNames } from '../../model/schemas/ui-schema';
import { toInstanceUi } from '../../model/schemas/ui-schema';
import type { InstanceModel } from './model';

interface IFormProps {
  model: InstanceModel;
  editor: Editor;
  schema: Schema;
  trans: TranslationBundle;
  /** The part of a pipeline to show; by default, the whole form. */
  part?: IFormPart | undefined;
}

/** A part of the form of a pipeline, and its errors in addition to those of the form. */
interface IFormPart {
  part: PipelinePart;
  errors: readonly IValidationError[];
}

function useFormSchema({ model, schema, trans }: IFormProps): RJSFSchema {
  const { isNew } = model;
  return React.useMemo(() => {
    const words = {
      displayName: trans.__('Display name'),
      name: trans.__('Name in file names and URLs'),
      nameHelp: trans.__('Cannot be changed later. Defaults to a name derived from the display name.')
    };
    return toInstanceForm(schema, isNew, words);
  }, [schema, isNew, trans]);
}

/** Returns a text in the metadata of a draft; empty if there is none. */
function getTextMember(draft: ReadonlyJSONObject, name: string): string {
  const metadata = draft['metadata'] as ReadonlyJSONObject | undefined;
  const text = metadata?.[name];
  return typeof text === 'string' ? text : '';
}

function useEnvironment({ model, editor }: IFormProps): IFormEnvironment {
  const { draft } = useModel(editor);
  const language = getTextMember(draft, 'language');
  const namespace = getTextMember(draft, 'namespace');
  const { choices, mayEdit, checkErrors, plugins } = useModel(model);
  const loadChoices = React.useCallback((pointer: string) => model.loadChoices(pointer), [model]);
  const loadPlugins = React.useCallback(() => model.loadPlugins(namespace), [model, namespace]);
  return React.useMemo(
    () => ({
      root: '/metadata',
      readOnly: !mayEdit,
      language,
      choices,
      loadChoices,
      plugins,
      loadPlugins,
      checkErrors
    }),
    [language, choices, loadChoices, plugins, loadPlugins, mayEdit, checkErrors]
  );
}

/** The conflict between two versions of an instance. */
function InstanceConflict(props: IFormProps & { form: RJSFSchema }): React.JSX.Element {
  const { editor, form, trans } = props;
  const view = React.useMemo(() => {
    const labels = { displayName: trans.__('Display name'), secret: trans.__('(secret)') };
    return {
      toView: (value: ReadonlyJSONObject) => removeSecrets(value, {}, findSecretPaths(form)),
      namePlace: createNamePlace(form, labels),
      format: (value: unknown) => formatReadable(value, labels)
    };
  }, [form, trans]);
  return <Conflict editor={editor} view={view} trans={trans} />;
}

/** A form for an instance, generated from its schema. */
export default function InstanceForm(props: IFormProps): React.JSX.Element {
  const { editor, schema, trans, part } = props;
  const form = useFormSchema(props);
  const place = part?.part;
  const faults = part?.errors;
  const shown = React.useMemo(
    () => (place === undefined ? form : (restrictPipelineForm(form as Schema, place) as RJSFSchema)),
    [form, place]
  );
  const whole = useFormContext(editor, useEnvironment(props), trans);
  const context = React.useMemo(() => {
    const root = typeof place === 'number' ? getStagePointer(place) : whole.root;
    return faults ? { ...whole, faults, root } : whole;
  }, [whole, faults, place]);
  const dialect = schema['$schema'];
  const ui = React.useCallback((names: IRendererNames) => toInstanceUi(shown as Schema, names), [shown]);
  React.useEffect(() => editor.setCheck(createCheck(form, dialect, trans)), [editor, form, dialect, trans]);
  return (
    <>
      <SchemaForm
        schema={shown}
        dialect={dialect}
        createUi={ui}
        context={context}
        onChange={draft => editor.edit(draft)}
      />
      <InstanceConflict {...props} form={form} />
    </>
  );
}
