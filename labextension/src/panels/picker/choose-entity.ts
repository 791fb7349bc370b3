import type { TranslationBundle } from '@jupyterlab/translation';
import type { IMetadataService } from '../../tokens';

/** Asks for an entity in a dialog, which is loaded when it is used; resolves to its URN, or null if the user cancels. */
export async function chooseEntity(metadata: IMetadataService, trans: TranslationBundle): Promise<string | null> {
  const { pickEntity } = await import('.');
  return pickEntity(metadata, trans.__('Choose an entity'), { okLabel: trans.__('Choose') }, trans);
}
