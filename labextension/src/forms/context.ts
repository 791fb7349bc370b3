import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import { useModel } from '../components/use-model';
import type { Editor } from '../model/editor';
import { offeredChoices } from '../model/instance-schema';
import { isWithin, valueAt, withValueAt } from '../model/pointer';
import type { IFault } from '../model/problem';
import type { IFormTools, IPlugin } from '../tokens';

/** What a form knows beside its document. */
export interface IFormEnvironment {
  /** The place whose fields are shown without a box around them. */
  root: string;
  readOnly: boolean;
  /** The language of the code in the document; empty if it names none. */
  language: string;
  /** Suggested values, by place below the root. */
  choices: ReadonlyMap<string, readonly string[]>;
  loadChoices(pointer: string): void;
  /** The plugins of pipelines; null until they are loaded. */
  plugins: readonly IPlugin[] | null;
  loadPlugins(): void;
  /** Faults of the stored document that its schema does not find. */
  findings: readonly IFault[];
}

/** What the parts of a form share. rjsf hands it to every field, widget and template as `formContext`. */
export interface IFormContext extends IFormEnvironment {
  trans: TranslationBundle;
  /** Prefix of the ids of the form; an id is the prefix and a JSON Pointer. */
  prefix: string;
  editors: IEditorServices | null;
  /** The faults that are shown now. */
  faults: readonly IFault[];
  touch(pointer: string): void;
  block(pointer: string, faults: readonly IFault[]): void;
  /** The draft. rjsf renders a field again when this changes; it takes any two functions for equal. */
  draft: ReadonlyJSONObject;
  /** Writes a value into the draft; undefined removes it. */
  put(pointer: string, value: unknown): void;
  /** Writes a value into the draft if there is none. */
  fill(pointer: string, value: unknown): void;
}

/** The tools of all forms of a page. */
export const FormTools = React.createContext<IFormTools>({ editors: null, renderers: null });

/** The context for the templates to which rjsf does not hand it. */
export const FormContext = React.createContext<IFormContext | null>(null);

/** The environment of a form that only knows its document. */
export const NO_ENVIRONMENT: IFormEnvironment = {
  root: '',
  readOnly: false,
  language: '',
  choices: new Map(),
  loadChoices: () => undefined,
  plugins: null,
  loadPlugins: () => undefined,
  findings: []
};

let forms = 0;

/** Creates the context of a form for the draft of an editor. */
export function useFormContext(editor: Editor, environment: IFormEnvironment, trans: TranslationBundle): IFormContext {
  const state = useModel(editor);
  const { editors } = React.useContext(FormTools);
  const [prefix] = React.useState(() => `jp-colophon-form-${++forms}`);
  return React.useMemo(
    () => ({
      ...environment,
      trans,
      prefix,
      editors,
      // The findings are about the stored document.
      faults: editor.dirty ? editor.faults() : [...editor.faults(), ...environment.findings],
      touch: (pointer: string) => editor.touch(pointer),
      block: (pointer: string, faults: readonly IFault[]) => editor.block(pointer, faults),
      draft: state.draft,
      put: (pointer: string, value: unknown) => editor.edit(withValueAt(editor.state.draft, pointer, value)),
      fill: (pointer: string, value: unknown) => {
        if (valueAt(editor.state.draft, pointer) === undefined) {
          editor.edit(withValueAt(editor.state.draft, pointer, value));
        }
      }
    }),
    [editor, environment, editors, trans, prefix, state]
  );
}

/** The place that an id of the form stands for. */
export function pointerOf(id: string, context: IFormContext): string {
  return id.slice(context.prefix.length);
}

/** The faults at one place, or also below it. */
export function faultsAt(context: IFormContext, pointer: string, below = false): IFault[] {
  return context.faults.filter(fault => (below ? isWithin(fault.pointer, pointer) : fault.pointer === pointer));
}

/** Whether the draft has a value at a place. */
export function hasValue(context: IFormContext, pointer: string): boolean {
  return valueAt(context.draft, pointer) !== undefined;
}

/** The ids that describe a field: its faults and its help. */
export function describedBy(id: string): string {
  return `${id}__error ${id}__description`;
}

/** The suggestions for a field: those of its schema, then the values of other documents. */
export function useChoices(context: IFormContext, pointer: string, schema: unknown): readonly string[] {
  const { root, choices, loadChoices } = context;
  const place = pointer.startsWith(`${root}/`) ? pointer.slice(root.length) : null;
  React.useEffect(() => {
    if (place !== null) {
      loadChoices(place);
    }
  }, [loadChoices, place]);
  const others = choices.get(place ?? '');
  return React.useMemo(() => [...new Set([...offeredChoices(schema), ...(others ?? [])])], [schema, others]);
}
