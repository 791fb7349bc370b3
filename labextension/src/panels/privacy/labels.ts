import type { TranslationBundle } from '@jupyterlab/translation';

/** Returns what a table, a log or a step of an erasure is called; unknown ones have their technical name. */
export function getPlaceLabel(place: string, trans: TranslationBundle): string {
  const labels = new Map([
    ['entities', trans.__('entities')],
    ['aspects', trans.__('current metadata')],
    ['aspect_versions', trans.__('earlier versions of metadata')],
    ['timeseries', trans.__('profiles and other series')],
    ['runs', trans.__('runs')],
    ['accesses', trans.__('accesses of runs')],
    ['inbox', trans.__('waiting proposals')],
    ['dead_letters', trans.__('rejected proposals')],
    ['erasures', trans.__('erasures')],
    ['service_tokens', trans.__('service tokens')],
    ['change log', trans.__('change log')],
    ['audit', trans.__('audit')],
    ['audit names', trans.__('names in the audit')],
    ['derived data', trans.__('search and other derived data')],
    ['title', trans.__('name of the pseudonym')],
    ['space', trans.__('free pages of the store')]
  ]);
  return labels.get(place) ?? place.replace(/_/g, ' ');
}
