import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import { useModel } from '../components/use-model';
import type { Editor } from '../model/editing/editor';
import { listChoices } from '../model/instances/instance-schema';
import { isWithin, getValueAt, setValueAt } from '../model/schemas/pointer';
import type { IValidationError } from '../model/problem';
import type { IFormTools, IPlugin } from '../tokens';

/** The environment of a form, in addition to its document. */
export interface IFormEnvironment {
  /** The location whose fields have no frame around them. */
  root: string;
  readOnly: boolean;
  /** The language of the code in the document; empty if unknown. */
  language: string;
  /** Suggested values by their locations below the root. */
  choices: ReadonlyMap<string, readonly string[]>;
  loadChoices(pointer: string): void;
  /** The plugins of pipelines; null until they are loaded. */
  plugins: readonly IPlugin[] | null;
  loadPlugins(): void;
  /** Errors of the stored document that its schema does not imply. */
  checkErrors: readonly IValidationError[];
}

/** The context shared by the parts of a form. rjsf passes it to fields, widgets and templates as `formContext`. */
export interface IFormContext extends IFormEnvironment {
  trans: TranslationBundle;
  /** The prefix of the ids in the form; an id consists of the prefix and a JSON Pointer. */
  prefix: string;
  editors: IEditorServices | null;
  /** The displayed errors. */
  faults: readonly IValidationError[];
  touch(pointer: string): void;
  block(pointer: string, faults: readonly IValidationError[]): void;
  /** The draft. rjsf renders a field again when this changes; it ignores changes of functions. */
  draft: ReadonlyJSONObject;
  /** Sets a value of the draft; undefined removes it. */
  setValue(pointer: string, value: unknown): void;
  /** Sets a value of the draft if it has none. */
  setDefault(pointer: string, value: unknown): void;
}

/** The tools for all forms of a page. */
export const FormTools = React.createContext<IFormTools>({ editors: null, renderers: null });

/** The context for templates to which rjsf does not pass `formContext`. */
export const FormContext = React.createContext<IFormContext | null>(null);

/** The environment of a form without additional information. */
export const NO_ENVIRONMENT: IFormEnvironment = {
  root: '',
  readOnly: false,
  language: '',
  choices: new Map(),
  loadChoices: () => undefined,
  plugins: null,
  loadPlugins: () => undefined,
  checkErrors: []
};

let formCount = 0;

/** Creates the context of a form for the draft of an editor. */
export function useFormContext(editor: Editor, environment: IFormEnvironment, trans: TranslationBundle): IFormContext {
  const state = useModel(editor);
  const { editors } = React.useContext(FormTools);
  const [prefix] = React.useState(() => `jp-colophon-form-${++formCount}`);
  return React.useMemo(
    () => ({
      ...environment,
      trans,
      prefix,
      editors,
      // These errors concern the stored document, not the draft.
      faults: editor.isDirty ? editor.listErrors() : [...editor.listErrors(), ...environment.checkErrors],
      touch: (pointer: string) => editor.touch(pointer),
      block: (pointer: string, faults: readonly IValidationError[]) => editor.setInputErrors(pointer, faults),
      draft: state.draft,
      setValue: (pointer: string, value: unknown) => editor.edit(setValueAt(editor.state.draft, pointer, value)),
      setDefault: (pointer: string, value: unknown) => {
        if (getValueAt(editor.state.draft, pointer) === undefined) {
          editor.edit(setValueAt(editor.state.draft, pointer, value));
        }
      }
    }),
    [editor, environment, editors, trans, prefix, state]
  );
}

/** Returns the JSON Pointer of an id in the form. */
export function getPointer(id: string, context: IFormContext): string {
  return id.slice(context.prefix.length);
}

/** Returns the errors at a location and, with `below`, those below it. */
export function getErrors(context: IFormContext, pointer: string, below = false): IValidationError[] {
  return context.faults.filter(fault => (below ? isWithin(fault.pointer, pointer) : fault.pointer === pointer));
}

/** Whether the draft has a value at a location. */
export function hasValue(context: IFormContext, pointer: string): boolean {
  return getValueAt(context.draft, pointer) !== undefined;
}

/** Returns the ids of the descriptions of a field: its errors and its help. */
export function getDescriptionIds(id: string): string {
  return `${id}__error ${id}__description`;
}

/** Returns the suggestions for a field: those of its schema, then values of other documents. */
export function useChoices(context: IFormContext, pointer: string, schema: unknown): readonly string[] {
  const { root, choices, loadChoices } = context;
  const place = pointer.startsWith(`${root}/`) ? pointer.slice(root.length) : null;
  React.useEffect(() => {
    if (place !== null) {
      loadChoices(place);
    }
  }, [loadChoices, place]);
  const others = choices.get(place ?? '');
  return React.useMemo(() => [...new Set([...listChoices(schema), ...(others ?? [])])], [schema, others]);
}
