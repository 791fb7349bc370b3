import { Signal } from '@lumino/signaling';
import type { IEntityList } from '../../src/tokens';

/** A list of entities without settings. */
export class EntityUrns implements IEntityList {
  readonly changed: Signal<IEntityList, void> = new Signal<IEntityList, void>(this);
  constructor(public state: readonly string[]) {}

  has(urn: string): boolean {
    return this.state.includes(urn);
  }

  async toggle(urn: string): Promise<void> {
    this.state = this.has(urn) ? this.state.filter(other => other !== urn) : [urn, ...this.state];
    this.changed.emit();
    return Promise.resolve();
  }
}
