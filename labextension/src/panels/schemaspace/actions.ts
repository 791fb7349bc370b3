import type { InstanceSummary } from '../../generated/api';
import type { Space } from './model';

/** The actions of the panel; each is a command, so that others can use it. */
export interface ISchemaspaceActions {
  edit(space: string, row: InstanceSummary): void;
  remove(space: string, row: InstanceSummary): void;
  /** Inserts the code of a snippet; null where there is no document to insert it into. */
  insert: ((space: string, row: InstanceSummary) => void) | null;
  /** Creates an instance; for several schemas, a menu at the button asks which one. */
  create(space: Space, button: HTMLElement): void;
  importInto(space: string): void;
  exportFrom(space: string): void;
  refreshSpace(space: string): void;
  /** Returns the code of a snippet, if it is cached; it is fetched on pointer down. */
  getCachedCode(space: string, row: InstanceSummary): string | null;
  fetchCode(space: string, row: InstanceSummary): void;
}
