import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ReadPermission } from '../model/permissions';
import { shortenUrn } from '../model/urns';

/** A note where a list is empty: `children`, unless the user may not read what would be in it. */
export function EmptyCatalog(props: {
  permission: ReadPermission | null;
  trans: TranslationBundle;
  children: React.ReactNode;
}): React.JSX.Element {
  const { permission, trans, children } = props;
  const whom = permission?.stewards.map(shortenUrn).join(', ') ?? '';
  if (permission?.readable !== 'nothing') {
    return <p className="jp-Colophon-note">{children}</p>;
  }
  return (
    <p className="jp-Colophon-note" role="note">
      {trans.__('You have no permission to read anything in this catalog.')}{' '}
      {whom === '' ? trans.__('Ask an administrator of the server.') : trans.__('To get access, ask: %1', whom)}
    </p>
  );
}
