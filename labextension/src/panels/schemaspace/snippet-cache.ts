import type { InstanceSummary } from '../../generated/api';
import { toSnippet } from '../../model/instances/snippet';
import type { ISchemaspaces } from '../../tokens';

const MAX_CACHED = 20;

/** Caches the code of snippets for drag and drop, which cannot wait: it is fetched on pointer down. */
export class SnippetCache {
  constructor(private _spaces: ISchemaspaces) {}

  get(space: string, row: InstanceSummary): string | null {
    return this._code.get(this._getKey(space, row)) ?? null;
  }

  fetch(space: string, row: InstanceSummary): void {
    const key = this._getKey(space, row);
    if (this._code.has(key)) {
      return;
    }
    void this._spaces.readInstance(space, row.name).then(
      instance => {
        const [oldest] = this._code.keys();
        if (this._code.size >= MAX_CACHED && oldest !== undefined) {
          this._code.delete(oldest);
        }
        this._code.set(key, toSnippet(instance)?.code ?? '');
      },
      // Then the snippet cannot be dragged; the command Insert reports the error.
      () => undefined
    );
  }

  private _getKey(space: string, row: InstanceSummary): string {
    return JSON.stringify([space, row.name, row.version, row.time]);
  }

  private _code = new Map<string, string>();
}
