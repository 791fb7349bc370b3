import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import type { IFormContext } from '../aspect/context';
import type { IPlugin } from '../../tokens';
import { valueAt } from '../../model/pointer';
import { offeredChoices } from '../../model/instance-schema';

/** What the parts of an instance's form know of each other. */
export interface IInstanceContext extends IFormContext {
  editors: IEditorServices | null;
  /** Whether nothing may be changed. */
  locked: boolean;
  /** Of the code in this instance; empty where none is said. */
  language: string;
  /** What other instances have, by place in `metadata`. */
  choices: ReadonlyMap<string, readonly string[]>;
  /** Asks for what other instances have at a place. */
  offer(pointer: string): void;
  /** What stages of pipelines can do; null until somebody asked and the server answered. */
  plugins: readonly IPlugin[] | null;
  /** Asks for the plugins of pipelines. */
  loadPlugins(): void;
  /** What is edited. rjsf draws a field again when this changes; of functions it takes any two for the same. */
  draft: ReadonlyJSONObject;
  /** Puts a value at a place of the draft; undefined takes it out. */
  put(pointer: string, value: unknown): void;
  /** Puts a value at a place of the draft where nothing is. */
  fill(pointer: string, value: unknown): void;
}

/** The context for what rjsf hands none to. */
export const InstanceContext = React.createContext<IInstanceContext | null>(null);

/** Whether there is anything at a place of the draft. */
export function isThere(context: IInstanceContext, pointer: string): boolean {
  return valueAt(context.draft, pointer) !== undefined;
}

/** The ids that describe a field: its faults and its help. */
export function described(id: string): string {
  return `${id}__error ${id}__description`;
}

/** Where `metadata` begins in an instance. */
const METADATA = '/metadata';

/** What a field suggests: what its schema offers, then what other instances have there. */
export function useChoices(context: IInstanceContext, pointer: string, schema: unknown): readonly string[] {
  const place = pointer.startsWith(`${METADATA}/`) ? pointer.slice(METADATA.length) : null;
  const { choices, offer } = context;
  React.useEffect(() => {
    if (place !== null) {
      offer(place);
    }
  }, [offer, place]);
  const others = choices.get(place ?? '');
  return React.useMemo(() => [...new Set([...offeredChoices(schema), ...(others ?? [])])], [schema, others]);
}
