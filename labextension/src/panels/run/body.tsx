import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Run } from '../../generated/api';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { getRunName, getRunPlace } from '../../components/run-name';
import { MissingLineage, describeTableVersions, getAccessLabel } from '../../components/runs';
import { parseNotebookUrn, shortenUrn } from '../../model/urns';
import type { IRunActions } from './index';
import { useModel } from '../../components/use-model';
import { AspectValue } from '../../components/values';
import { SourceText } from '../../components/source-text';
import { formatDuration, formatTime, getStatusLabel, getTypeLabel } from '../../components/labels';
import type { RunModel, RunAccess } from './model';
import { StageTable } from './stage-table';
import { sortFacts } from './stages';

interface IRunProps extends IRunActions {
  model: RunModel;
  trans: TranslationBundle;
}

function Link(props: { urn: string; name: string; open: (urn: string) => void }): React.JSX.Element {
  return (
    <button type="button" className="jp-Colophon-link" title={props.urn} onClick={() => props.open(props.urn)}>
      {props.name}
    </button>
  );
}

function Head({ model, run, open, openCell, trans }: IRunProps & { run: Run }): React.JSX.Element {
  const { parent } = useModel(model);
  const place = getRunPlace(run);
  return (
    <div className="jp-Colophon-head">
      <div>
        <h1>{trans.__('Run of %1', getRunName(run, trans))}</h1>
        <p className="jp-Colophon-subtitle" data-status={run.status}>
          {place !== '' && `${place} · `}
          {getStatusLabel(run.status, trans)} · <RelativeTime time={run.start} trans={trans} />
          {run.end !== null && ` · ${formatDuration(run.start, run.end)}`} · {run.actor}
        </p>
        <p className="jp-Colophon-urn">
          <code>{run.urn}</code>
        </p>
        {run.parent !== null && (
          <p className="jp-Colophon-subtitle">
            {trans.__('Part of')}{' '}
            <Link urn={run.parent} name={parent ? getRunName(parent, trans) : shortenUrn(run.parent)} open={open} />
          </p>
        )}
      </div>
      <div className="jp-Colophon-actions">
        {parseNotebookUrn(run.program) !== null && (
          <button type="button" className="jp-Colophon-button" onClick={() => openCell({ run: run.urn })}>
            {trans.__('Open cell')}
          </button>
        )}
        <button type="button" className="jp-Colophon-button" onClick={() => open(run.program)}>
          {trans.__('Program')}
        </button>
      </div>
    </div>
  );
}

function getRoleLabel(access: RunAccess, trans: TranslationBundle): string {
  switch (access.role) {
    case 'program':
      return trans.__('program');
    case 'application':
      return trans.__('application');
    case 'data':
      return getAccessLabel(access.mode ?? 'unknown', trans);
  }
}

function AccessItem(props: { access: RunAccess } & Omit<IRunProps, 'model' | 'openCell'>): React.JSX.Element {
  const { access, open, trans } = props;
  const versions = describeTableVersions(access.tableVersions, trans);
  const place = [access.namespace, getTypeLabel(access.type, trans), access.component, versions].filter(
    word => word !== ''
  );
  return (
    <li className="jp-Colophon-aspect" data-urn={access.urn} data-role={access.role}>
      <h3>
        {getRoleLabel(access, trans)} <Link urn={access.urn} name={access.name} open={open} />
      </h3>
      <p className="jp-Colophon-version-info">
        {place.join(' · ')} · {formatTime(access.first)}
        {access.last !== access.first && ` – ${formatTime(access.last)}`}
        {access.deleted && ` · ${trans.__('since deleted')}`}
      </p>
      <AspectValue value={access.user} trans={trans} emptyText={trans.__('No user metadata.')} />
      {access.system && (
        <>
          <h4>{trans.__('System metadata')}</h4>
          <AspectValue value={access.system} trans={trans} />
        </>
      )}
    </li>
  );
}

function Section(props: { title: string; children: React.ReactNode }): React.JSX.Element {
  return (
    <section className="jp-Colophon-card-section" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** The body of the page of a run: everything recorded for it. */
export function RunBody(props: IRunProps): React.JSX.Element {
  const { model, open, trans } = props;
  const { run, accesses: accesses, busy, problem } = useModel(model);
  const { stages, log, source, others } = sortFacts(run ?? { facts: {}, status: 'running' });
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      {run ? <Head {...props} run={run} /> : !problem && <p role="status">{trans.__('Loading…')}</p>}
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {run && (
        <>
          {stages.length > 0 && (
            <Section title={trans.__('Stages')}>
              <StageTable stages={stages} trans={trans} />
            </Section>
          )}
          {run.intendedOutputs.length > 0 && (
            <Section title={trans.__('Not written')}>
              <p className="jp-Colophon-note">{trans.__('Intended outputs of failed statements.')}</p>
              <ul>
                {run.intendedOutputs.map(urn => (
                  <li key={urn}>
                    <Link urn={urn} name={shortenUrn(urn)} open={open} />
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {log !== '' && (
            <Section title={trans.__('Log')}>
              <SourceText label={trans.__('Log')} text={log} />
            </Section>
          )}
          <Section title={trans.__('Accessed entities and their metadata at that time')}>
            <MissingLineage run={run} trans={trans} />
            {accesses.length === 0 && <p className="jp-Colophon-note">{trans.__('None.')}</p>}
            <ul className="jp-Colophon-runs">
              {accesses.map(access => (
                <AccessItem
                  key={`${access.urn} ${access.mode} ${access.component}`}
                  access={access}
                  open={open}
                  trans={trans}
                />
              ))}
            </ul>
          </Section>
          <Section title={trans.__('Arguments')}>
            <AspectValue value={{ properties: run.arguments, tags: [] }} trans={trans} emptyText={trans.__('None.')} />
          </Section>
          <Section title={trans.__('Facts')}>
            <AspectValue value={{ properties: others, tags: [] }} trans={trans} emptyText={trans.__('None.')} />
            {source !== '' && <SourceText label={trans.__('Source')} text={source} />}
          </Section>
        </>
      )}
    </div>
  );
}
