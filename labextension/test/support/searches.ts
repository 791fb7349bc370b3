import { Signal } from '@lumino/signaling';
import { getSearchId } from '../../src/model/search/followed-searches';
import type { IFollowedSearches, ISearch } from '../../src/tokens';

/** Followed searches without settings. */
export class Searches implements IFollowedSearches {
  readonly changed: Signal<IFollowedSearches, void> = new Signal<IFollowedSearches, void>(this);
  state: readonly ISearch[] = [];

  has(search: ISearch): boolean {
    return this.state.some(other => getSearchId(other) === getSearchId(search));
  }

  async toggle(search: ISearch): Promise<void> {
    const others = this.state.filter(other => getSearchId(other) !== getSearchId(search));
    this.state = this.has(search) ? others : [search, ...others];
    this.changed.emit();
    return Promise.resolve();
  }
}
