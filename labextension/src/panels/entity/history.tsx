import React from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { getLastPart } from '../../components/labels';
import { LongText } from '../../components/long-text';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { useModel } from '../../components/use-model';
import { findReviewer } from '../../components/versions';
import type { IDifference } from '../../model/difference';
import { compareDocuments, readPatch } from '../../model/difference';
import type { AspectSpec } from '../../model/editing/editor';
import { nameField } from '../../model/schemas/field-names';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { IPageProps } from './page';
import { startChange } from './page';
import type { IEntry } from './runs/timeline';
import { listEntries } from './runs/timeline';

/** Number of differences of a version before the rest is only counted. */
const MAX_DIFFERENCES = 8;

function listDifferences({ version, previous }: IEntry): IDifference[] {
  return previous === undefined && version.version > 1
    ? readPatch(version.diff, nameField)
    : compareDocuments(previous?.value ?? {}, version.value ?? {}, nameField);
}

/** A difference as a sentence: "owner: ops → sales". */
function Difference(props: { difference: IDifference; trans: TranslationBundle }): React.JSX.Element {
  const { difference, trans } = props;
  const { kind, place, old, value } = difference;
  const marks = { added: trans.__('added'), removed: trans.__('removed'), changed: trans.__('changed') };
  return (
    <li data-kind={kind}>
      <b>{place}</b> {kind !== 'changed' && <span className="jp-Colophon-mark">{marks[kind]}</span>}{' '}
      {old !== undefined && (
        <del>
          <LongText text={old} trans={trans} />
        </del>
      )}
      {old !== undefined && value !== undefined && ' → '}
      {value !== undefined && (
        <ins>
          <LongText text={value} trans={trans} />
        </ins>
      )}
      {kind === 'changed' && value === undefined && marks.changed}
    </li>
  );
}

/** The notebook that wrote a version, or its kernel; nothing for versions that were not written in a notebook. */
function Origin(props: { version: IEntry['version']; trans: TranslationBundle }): React.JSX.Element | null {
  const { version, trans } = props;
  // The account of a service token is its own program.
  if (version.via === null || version.via === version.actor) {
    return null;
  }
  const { via, notebook } = version;
  const reviewer = findReviewer(via);
  if (reviewer !== null) {
    return <span> · {trans.__('applied by %1', reviewer)}</span>;
  }
  return (
    <span title={notebook ?? trans.__('Kernel %1', via)}>
      {' · '}
      {notebook === undefined ? trans.__('from a kernel') : trans.__('from %1', getLastPart(notebook))}
    </span>
  );
}

function Entry({ page, entry, spec }: IPageProps & { entry: IEntry; spec: AspectSpec | undefined }): React.JSX.Element {
  const { model, getTitle, trans } = page;
  const { entity, mayEdit } = useModel(model);
  const { aspect, version } = entry;
  const differences = React.useMemo(() => listDifferences(entry), [entry]);
  const isCurrent = entity?.aspects[aspect]?.version === version.version;
  const canRestore = mayEdit && spec?.scope === 'USER' && !isCurrent && version.value !== null;
  const restore = (): void =>
    void startChange(page, () => (spec ? model.restore(spec, version.value as ReadonlyJSONObject) : Promise.resolve()));
  return (
    <li className="jp-Colophon-version" data-aspect={aspect} data-version={version.version}>
      <div className="jp-Colophon-versionHead">
        <span>
          <b>{version.actor}</b> · <RelativeTime time={version.time} trans={trans} />
          <Origin version={version} trans={trans} />
        </span>
        <span className="jp-Colophon-note">{trans.__('%1, version %2', getTitle(aspect), version.version)}</span>
        {canRestore && (
          <button
            type="button"
            className="jp-Colophon-link"
            aria-label={trans.__('Restore version %1 of %2', version.version, getTitle(aspect))}
            onClick={restore}
          >
            {trans.__('Restore')}
          </button>
        )}
      </div>
      {version.deleted && <p className="jp-Colophon-note">{trans.__('Deleted.')}</p>}
      <ul className="jp-Colophon-differences">
        {differences.slice(0, MAX_DIFFERENCES).map((difference, index) => (
          <Difference key={index} difference={difference} trans={trans} />
        ))}
      </ul>
      {differences.length > MAX_DIFFERENCES && (
        <p className="jp-Colophon-note">{trans.__('and %1 more changes', differences.length - MAX_DIFFERENCES)}</p>
      )}
    </li>
  );
}

function useEntries({ page }: IPageProps): readonly IEntry[] {
  const { histories } = useModel(page.model);
  return React.useMemo(() => listEntries([...histories.values()]), [histories]);
}

function Entries({ page, entries }: IPageProps & { entries: readonly IEntry[] }): React.JSX.Element {
  const { type } = useModel(page.model);
  return (
    <ol className="jp-Colophon-history" aria-label={page.trans.__('Versions')}>
      {entries.map(entry => (
        <Entry
          key={`${entry.aspect} ${entry.version.version}`}
          page={page}
          entry={entry}
          spec={type?.aspects.find(({ name }) => name === entry.aspect)}
        />
      ))}
    </ol>
  );
}

/** The latest changes by users. */
export function LatestChanges({ page, limit }: IPageProps & { limit: number }): React.JSX.Element | null {
  const { model, trans } = page;
  const { type } = useModel(model);
  const scopes = new Map(type?.aspects.map(({ name, scope }) => [name, scope]));
  const entries = useEntries({ page }).filter(({ aspect }) => scopes.get(aspect) === 'USER');
  if (entries.length === 0) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Latest changes')}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Latest changes')}</h2>
        <button type="button" className="jp-Colophon-link" onClick={() => model.selectTab('history')}>
          {trans.__('Show all')}
        </button>
      </div>
      <Entries page={page} entries={entries.slice(0, limit)} />
    </section>
  );
}

/** The history of the entity: who changed what, when and from where. */
export function History({ page }: IPageProps): React.JSX.Element {
  const { model, getTitle, trans } = page;
  const { histories } = useModel(model);
  const [aspect, setAspect] = React.useState('');
  const entries = useEntries({ page });
  const shown = aspect === '' ? entries : entries.filter(entry => entry.aspect === aspect);
  const problem = [...histories.values()].find(history => history.problem !== null)?.problem;
  const hasMore = [...histories.values()].some(({ cursor }) => cursor !== null);
  return (
    <>
      <label className="jp-Colophon-choice">
        {trans.__('Aspect')}
        <select value={aspect} onChange={event => setAspect(event.target.value)}>
          <option value="">{trans.__('All')}</option>
          {[...histories.keys()].map(name => (
            <option key={name} value={name}>
              {getTitle(name)}
            </option>
          ))}
        </select>
      </label>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {shown.length === 0 && <p className="jp-Colophon-note">{trans.__('No changes yet.')}</p>}
      <Entries page={page} entries={shown} />
      {hasMore && (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreHistory()}>
          {trans.__('Older versions')}
        </button>
      )}
    </>
  );
}
