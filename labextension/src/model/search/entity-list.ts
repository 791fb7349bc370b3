import type { IEntityList } from '../../tokens';
import type { ListSettings } from '../setting-list';
import { SettingList } from '../setting-list';

/** More are not useful in a list that is read as a whole. */
const MAX_ENTITIES = 200;

const KIND = {
  max: MAX_ENTITIES,
  parse: (item: unknown): string | null => (typeof item === 'string' ? item : null),
  getId: (urn: string): string => urn
};

/** Entities that the user has chosen, by their URNs. */
export class EntityList extends SettingList<string> implements IEntityList {
  constructor(loading: Promise<ListSettings>, setting: string) {
    super(loading, setting, KIND);
  }
}
