import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { ScrollableTable } from '../../components/scrollable-table';
import type { IExpiry } from './model';
import { countVersions } from './model';

function describeExpiry(expiry: IExpiry, trans: TranslationBundle): string {
  const versions = countVersions(expiry);
  if (!expiry.finished) {
    return trans._n('%1 version so far…', '%1 versions so far…', versions);
  }
  switch (expiry.kind) {
    case 'count':
      return trans._n('%1 version has expired.', '%1 versions have expired.', versions);
    case 'preview':
      return trans._n('%1 version would be deleted.', '%1 versions would be deleted.', versions);
    case 'deletion':
      return trans._n('%1 version was deleted.', '%1 versions were deleted.', versions);
  }
}

/** The versions that are not kept, by namespace, entity type and aspect; nothing before they are counted. */
export function ExpiredVersions(props: { expiry: IExpiry | null; trans: TranslationBundle }): React.JSX.Element {
  const { expiry, trans } = props;
  return (
    <>
      <p role="status" className="jp-Colophon-note">
        {expiry && describeExpiry(expiry, trans)}
      </p>
      {expiry && expiry.places.length > 0 && (
        <ScrollableTable label={trans.__('Versions by namespace, entity type and aspect')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Namespace')}</th>
              <th scope="col">{trans.__('Entity type')}</th>
              <th scope="col">{trans.__('Aspect')}</th>
              <th scope="col" className="jp-Colophon-number">
                {trans.__('Versions')}
              </th>
            </tr>
          </thead>
          <tbody>
            {expiry.places.map(({ namespace, type, aspect, versions }) => (
              <tr key={[namespace, type, aspect].join(' ')}>
                <td>{namespace}</td>
                <td>{getTypeLabel(type, trans)}</td>
                <td>{aspect}</td>
                <td className="jp-Colophon-number">{versions.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </ScrollableTable>
      )}
    </>
  );
}
