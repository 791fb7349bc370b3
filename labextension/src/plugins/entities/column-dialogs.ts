import type { TranslationBundle } from '@jupyterlab/translation';
import type { IEntityActions } from '../../panels/entity/page';
import type * as impact from '../../panels/impact';
import type { IMetadataService } from '../../tokens';
import { showError } from '../command-targets';

/** The actions of pages that show what depends on a column. */
type ColumnActions = Pick<IEntityActions, 'showImpact' | 'confirmColumnRemoval' | 'askForColumnName'>;

/** Creates the actions that show what depends on a column, also before it is removed or renamed. */
export function createColumnActions(metadata: IMetadataService, trans: TranslationBundle): ColumnActions {
  const createOptions = (urn: string): impact.IColumnDialog => ({
    catalog: metadata,
    urn,
    open: other => metadata.openEntity(other),
    trans
  });
  const load = async (): Promise<typeof impact | null> => {
    try {
      return await import('../../panels/impact');
    } catch (reason) {
      showError(reason, trans.__('The dialog could not be loaded.'));
      return null;
    }
  };
  return {
    showImpact: async urn => (await load())?.showColumnImpact(createOptions(urn)),
    confirmColumnRemoval: async urn => (await (await load())?.confirmColumnRemoval(createOptions(urn))) ?? false,
    askForColumnName: async (urn, name) => (await (await load())?.askForColumnName(createOptions(urn), name)) ?? null
  };
}
