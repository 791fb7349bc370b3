import type { TranslationBundle } from '@jupyterlab/translation';
import type { IMetadataService } from '../../src/tokens';
import type { AnalyticsModel } from './model';

/** What all parts of the panel use. */
export interface IViewProps {
  model: AnalyticsModel;
  metadata: IMetadataService;
  trans: TranslationBundle;
}
