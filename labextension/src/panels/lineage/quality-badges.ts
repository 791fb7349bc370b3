import type { TranslationBundle } from '@jupyterlab/translation';
import { getQualityLabel, getQualityMark } from '../../components/quality';
import type { IBadge } from '../../lineage/cards';
import type { Statuses } from './drawn-quality';

/** Returns the badge of a dataset with failing expectations or warnings; none for others. */
export function createQualityBadges(statuses: Statuses, urn: string, trans: TranslationBundle): IBadge[] {
  const status = statuses.get(urn);
  return status === undefined || status === 'passing'
    ? []
    : [{ text: getQualityMark(status), title: getQualityLabel(status, trans), status }];
}
