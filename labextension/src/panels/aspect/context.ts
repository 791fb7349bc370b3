import type { TranslationBundle } from '@jupyterlab/translation';
import { isWithin } from '../../model/pointer';
import type { IFault } from '../../model/problem';

/** What the parts of a form know of each other. */
export interface IFormContext {
  trans: TranslationBundle;
  /** Prefix of the ids of the form; an id is the prefix and a JSON Pointer. */
  prefix: string;
  faults: readonly IFault[];
  touch(pointer: string): void;
  block(pointer: string, faults: readonly IFault[]): void;
}

/** The place that an id of the form stands for. */
export function pointerOf(id: string, context: IFormContext): string {
  return id.slice(context.prefix.length);
}

/** The faults at one place, or also below it. */
export function faultsAt(context: IFormContext, pointer: string, below = false): IFault[] {
  return context.faults.filter(fault => (below ? isWithin(fault.pointer, pointer) : fault.pointer === pointer));
}
