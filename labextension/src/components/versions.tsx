import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Versions } from '../generated/api';
import type { IDifference, NamePlace } from '../model/difference';
import { comparison, differences } from '../model/difference';
import { LongText } from './long-text';
import { moment } from './words';

/** One version of an aspect, as the history tells it. */
type AspectVersion = Versions['versions'][number];

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

function kindWord(kind: IDifference['kind'], trans: TranslationBundle): string {
  switch (kind) {
    case 'added':
      return trans.__('added');
    case 'removed':
      return trans.__('removed');
    case 'changed':
      return trans.__('changed');
  }
}

function Difference(props: { difference: IDifference; trans: TranslationBundle }): React.JSX.Element {
  const { difference, trans } = props;
  return (
    <li data-kind={difference.kind}>
      <span className="jp-Colophon-sign" role="img" aria-label={kindWord(difference.kind, trans)}>
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
  /** The version before; undefined where it was not loaded or is not kept. */
  before: AspectVersion | undefined;
  /** What can be done with it, if anything. */
  actions: React.ReactNode;
  name: NamePlace | undefined;
  trans: TranslationBundle;
}

/** What a version changed: with the old values where the version before is known, else as the server describes it. */
function changesOf(
  version: AspectVersion,
  before: AspectVersion | undefined,
  name: NamePlace | undefined
): IDifference[] {
  if (before === undefined && version.version > 1) {
    return differences(version.diff, name);
  }
  return comparison(before?.value ?? {}, version.value ?? {}, name);
}

function Version({ version, before, actions, name, trans }: IVersionProps): React.JSX.Element {
  const found = React.useMemo(() => changesOf(version, before, name), [version, before, name]);
  return (
    <li className="jp-Colophon-version" data-version={version.version}>
      <div>
        <b>{trans.__('Version %1', version.version)}</b> · {version.actor} ·{' '}
        <time dateTime={version.time}>{moment(version.time)}</time>
        {version.via !== null && ` · ${trans.__('from a notebook')}`} {actions}
      </div>
      {version.deleted && <p className="jp-Colophon-note">{trans.__('Deleted.')}</p>}
      <ul className="jp-Colophon-differences">
        {found.slice(0, 50).map((difference, index) => (
          <Difference key={index} difference={difference} trans={trans} />
        ))}
      </ul>
      {found.length > 50 && <p className="jp-Colophon-note">{trans.__('and %1 more changes', found.length - 50)}</p>}
    </li>
  );
}

interface IVersionListProps {
  versions: readonly AspectVersion[];
  /** What can be done with a version, if anything. */
  actions?: (version: AspectVersion) => React.ReactNode;
  /** What places are called; by their steps, if nothing is said. */
  name?: NamePlace;
  /** Asks for older ones; null where these are all. */
  more: (() => void) | null;
  trans: TranslationBundle;
}

/** Versions, newest first: who wrote each, when, and what it changed. */
export function VersionList({ versions, actions, name, more, trans }: IVersionListProps): React.JSX.Element {
  // The oldest of a page is the base of the one after it; it is shown together with the next page.
  const shown = more && versions.length > 1 ? versions.slice(0, -1) : versions;
  return (
    <>
      <ol className="jp-Colophon-history" aria-label={trans.__('Versions')}>
        {shown.map((version, index) => (
          <Version
            key={version.version}
            version={version}
            before={versions[index + 1]}
            actions={actions?.(version)}
            name={name}
            trans={trans}
          />
        ))}
      </ol>
      {more && (
        <button type="button" className="jp-Colophon-button" onClick={more}>
          {trans.__('Older versions')}
        </button>
      )}
    </>
  );
}
