import type { InstanceSummary } from '../../generated/api';
import type { Space } from './model';

/** What the panel asks of the outside: each is a command, so that others can offer the same. */
export interface ISchemaspaceActions {
  edit(space: string, row: InstanceSummary): void;
  remove(space: string, row: InstanceSummary): void;
  insert(space: string, row: InstanceSummary): void;
  /** Makes an instance; where there is more than one schema, a menu at the button asks which. */
  create(space: Space, button: HTMLElement): void;
  importInto(space: string): void;
  exportFrom(space: string): void;
  reload(space: string): void;
  /** The code of a snippet, if it is at hand already; it is fetched when a pointer goes down on it. */
  codeAtHand(space: string, row: InstanceSummary): string | null;
  fetchCode(space: string, row: InstanceSummary): void;
}
