import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReferenceKind } from '../../model/search/vocabulary';
import { TYPES } from '../../model/search/vocabulary';
import type { ICatalog } from '../../tokens';
import { pickEntity } from '.';

/** Asks for an owner, a glossary term or a domain; resolves to its URN, or null if the user cancels. */
export function pickReference(
  catalog: ICatalog,
  kind: ReferenceKind,
  trans: TranslationBundle
): Promise<string | null> {
  const title = {
    owner: trans.__('Choose an owner'),
    term: trans.__('Choose a glossary term'),
    domain: trans.__('Choose a domain')
  }[kind];
  const creationNote = {
    owner: trans.__('Users and teams are created in Owners, under Browse in the panel Metadata.'),
    term: trans.__('Glossary terms are created under Browse in the panel Metadata.'),
    domain: trans.__('Domains are created under Browse in the panel Metadata.')
  }[kind];
  return pickEntity(catalog, title, { types: TYPES[kind], okLabel: trans.__('Add'), creationNote }, trans);
}
