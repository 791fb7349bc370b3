import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Versions } from '../generated/api';
import type { IDifference, NamePlace } from '../model/difference';
import { compareDocuments, readPatch } from '../model/difference';
import { LongText } from './long-text';
import { formatTime } from './labels';

/** A version of an aspect. */
type AspectVersion = Versions['versions'][number];

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

function getKindLabel(kind: IDifference['kind'], trans: TranslationBundle): string {
  switch (kind) {
    case 'added':
      return trans.__('added');
    case 'removed':
      return trans.__('removed');
    case 'changed':
      return trans.__('changed');
  }
}

/** Begins `via` of changes that a steward applied for their author. */
const REVIEWED = 'review:';

/** Returns who applied a change for its author; null for other changes. */
export function findReviewer(via: string): string | null {
  return via.startsWith(REVIEWED) ? via.slice(REVIEWED.length) : null;
}

function getViaLabel(via: string, trans: TranslationBundle): string {
  const reviewer = findReviewer(via);
  return reviewer === null ? trans.__('from a notebook') : trans.__('applied by %1', reviewer);
}

/** A difference as one line: its sign, its place, the old value and the new one. */
export function Difference(props: { difference: IDifference; trans: TranslationBundle }): React.JSX.Element {
  const { difference, trans } = props;
  return (
    <li data-kind={difference.kind}>
      <span className="jp-Colophon-sign" role="img" aria-label={getKindLabel(difference.kind, trans)}>
        {SIGNS[difference.kind]}
      </span>
      <b>{difference.place}</b>{' '}
      {difference.old !== undefined && (
        <del>
          <LongText text={difference.old} trans={trans} />
        </del>
      )}
      {difference.old !== undefined && difference.value !== undefined && <span aria-hidden="true"> → </span>}
      {difference.value !== undefined && <LongText text={difference.value} trans={trans} />}
    </li>
  );
}

interface IVersionProps {
  version: AspectVersion;
  /** The previous version; undefined if it is not loaded or not available. */
  previous: AspectVersion | undefined;
  /** Actions for the version, if any. */
  actions: React.ReactNode;
  namePlace: NamePlace | undefined;
  trans: TranslationBundle;
}

/** Lists the changes of a version: with old values if the previous version is loaded, else from its diff. */
function listChanges(
  version: AspectVersion,
  before: AspectVersion | undefined,
  name: NamePlace | undefined
): IDifference[] {
  if (before === undefined && version.version > 1) {
    return readPatch(version.diff, name);
  }
  return compareDocuments(before?.value ?? {}, version.value ?? {}, name);
}

function Version({ version, previous, actions, namePlace, trans }: IVersionProps): React.JSX.Element {
  const differences = React.useMemo(() => listChanges(version, previous, namePlace), [version, previous, namePlace]);
  return (
    <li className="jp-Colophon-version" data-version={version.version}>
      <div>
        <b>{trans.__('Version %1', version.version)}</b> · {version.actor} ·{' '}
        <time dateTime={version.time}>{formatTime(version.time)}</time>
        {version.via !== null && version.via !== version.actor && ` · ${getViaLabel(version.via, trans)}`} {actions}
      </div>
      {version.deleted && <p className="jp-Colophon-note">{trans.__('Deleted.')}</p>}
      <ul className="jp-Colophon-differences">
        {differences.slice(0, 50).map((difference, index) => (
          <Difference key={index} difference={difference} trans={trans} />
        ))}
      </ul>
      {differences.length > 50 && (
        <p className="jp-Colophon-note">{trans.__('and %1 more changes', differences.length - 50)}</p>
      )}
    </li>
  );
}

interface IVersionListProps {
  versions: readonly AspectVersion[];
  /** Renders actions for a version, if any. */
  renderActions?: (version: AspectVersion) => React.ReactNode;
  /** Names locations; by default, the steps of their JSON Pointers. */
  namePlace?: NamePlace;
  /** Loads older versions; null if all are loaded. */
  loadMore: (() => void) | null;
  trans: TranslationBundle;
}

/** Versions, newest first: author, time and changes of each. */
export function VersionList({
  versions,
  renderActions,
  namePlace,
  loadMore,
  trans
}: IVersionListProps): React.JSX.Element {
  // The oldest version of a page is the base of the version after it; it is shown with the next page.
  const shown = loadMore && versions.length > 1 ? versions.slice(0, -1) : versions;
  return (
    <>
      <ol className="jp-Colophon-history" aria-label={trans.__('Versions')}>
        {shown.map((version, index) => (
          <Version
            key={version.version}
            version={version}
            previous={versions[index + 1]}
            actions={renderActions?.(version)}
            namePlace={namePlace}
            trans={trans}
          />
        ))}
      </ol>
      {loadMore && (
        <button type="button" className="jp-Colophon-button" onClick={loadMore}>
          {trans.__('Older versions')}
        </button>
      )}
    </>
  );
}
