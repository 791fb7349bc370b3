import { FormComponent } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import type { IValidationError } from '../model/problem';
import type { IRendererNames } from '../model/schemas/ui-schema';
import type { IFormContext } from './context';
import { FormContext, FormTools } from './context';
import { FieldErrors } from './field-errors';
import { createRendererNames } from './renderer-names';
import { collectFields, collectWidgets } from './renderers';
import { ArrayFieldTemplate, FieldTemplate, ObjectFieldTemplate, UnsupportedFieldTemplate } from './templates';
import { createFormValidator } from './validation';
import { BaseInputTemplate } from './widgets';

type FormProps = React.ComponentProps<typeof FormComponent>;

const TEMPLATES = {
  ArrayFieldTemplate,
  BaseInputTemplate,
  FieldTemplate,
  ObjectFieldTemplate,
  UnsupportedFieldTemplate
} as unknown as NonNullable<FormProps['templates']>;

/** A form only changes what the user changes. */
const DEFAULTS_BEHAVIOUR = {
  arrayMinItems: { populate: 'never' },
  emptyObjectFields: 'skipDefaults',
  constAsDefaults: 'never'
} as const;

/** Whether an error is displayed at its location or at a parent. */
function isDisplayed(fault: IValidationError, notes: readonly Element[], prefix: string): boolean {
  const steps = fault.pointer.split('/');
  const above = steps.slice(2).map((_, index) => `${prefix}${steps.slice(0, index + 2).join('/')}`);
  return notes.some(
    note =>
      note.id === `${prefix}${fault.pointer}__error` ||
      (note.textContent.includes(fault.message) &&
        above.some(place => note.id.startsWith(`${place}_`) || note.id.startsWith(`${place}/`)))
  );
}

/** Returns the errors that no field displays; they would otherwise block saving without an explanation. */
function useUnplacedErrors(context: IFormContext): readonly IValidationError[] {
  const [unplaced, setUnplaced] = React.useState<readonly IValidationError[]>([]);
  const { faults, prefix } = context;
  React.useLayoutEffect(() => {
    const notes = [...document.querySelectorAll('.jp-Colophon-error')].filter(
      note => note.id !== `${prefix}__unplaced`
    );
    const next = faults.filter(fault => !isDisplayed(fault, notes, prefix));
    setUnplaced(old => (old.length + next.length === 0 ? old : next));
  }, [faults, prefix]);
  return unplaced;
}

/** The fields of a form for a document with a JSON Schema: an aspect, a part of one, or an instance. */
export function SchemaForm(props: {
  schema: RJSFSchema;
  dialect: unknown;
  /** Creates the `uiSchema` of rjsf; keep its identity while the schema is unchanged. */
  createUi: (names: IRendererNames) => Record<string, unknown>;
  context: IFormContext;
  onChange: (draft: ReadonlyJSONObject) => void;
}): React.JSX.Element {
  const { schema, dialect, createUi, context, onChange } = props;
  const { prefix } = context;
  const unplaced = useUnplacedErrors(context);
  const { renderers } = React.useContext(FormTools);
  const [fields, widgets] = React.useMemo(() => [collectFields(renderers), collectWidgets(renderers)], [renderers]);
  const uiSchema = React.useMemo(() => createUi(createRendererNames(fields, widgets)), [createUi, fields, widgets]);
  const validator = React.useMemo(() => createFormValidator(dialect), [dialect]);
  return (
    <FormContext.Provider value={context}>
      <FormComponent
        schema={schema}
        uiSchema={uiSchema as NonNullable<FormProps['uiSchema']>}
        formData={context.draft}
        formContext={context}
        validator={validator}
        fields={fields}
        widgets={widgets}
        templates={TEMPLATES}
        experimental_defaultFormStateBehavior={DEFAULTS_BEHAVIOUR}
        tagName="div"
        idPrefix={prefix}
        idSeparator="/"
        noValidate
        noHtml5Validate
        showErrorList={false}
        onChange={event => onChange(event.formData ?? {})}
        onBlur={id => context.touch(id.slice(prefix.length))}
      />
      <FieldErrors
        id={`${prefix}__unplaced`}
        messages={unplaced.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))}
      />
    </FormContext.Provider>
  );
}
