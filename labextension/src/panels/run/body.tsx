import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Run } from '../../generated/api';
import { ProblemNote } from '../../components/problem';
import { NotSeen, accessWord, originOf } from '../../components/runs';
import { shortUrn } from '../../model/urns';
import { useModel } from '../../components/use-model';
import { AspectValue } from '../../components/values';
import { Listing } from '../../components/listing';
import { duration, moment, statusWord, typeWord } from '../../components/words';
import type { RunModel, TouchedEntity } from './model';
import { StageTable } from './stage-table';
import { sortedFacts } from './stages';

interface IRunProps {
  model: RunModel;
  /** Opens the page of an entity, or of another run. */
  open: (urn: string) => void;
  trans: TranslationBundle;
}

function Link(props: { urn: string; name: string; open: (urn: string) => void }): React.JSX.Element {
  return (
    <button type="button" className="jp-Colophon-link" title={props.urn} onClick={() => props.open(props.urn)}>
      {props.name}
    </button>
  );
}

function Head({ model, run, open, trans }: IRunProps & { run: Run }): React.JSX.Element {
  const { parent } = useModel(model);
  return (
    <div className="jp-Colophon-head">
      <div>
        <h1>{trans.__('Run of %1', originOf(run, trans))}</h1>
        <p className="jp-Colophon-place" data-status={run.status}>
          {statusWord(run.status, trans)} · <time dateTime={run.start}>{moment(run.start)}</time>
          {run.end !== null && ` · ${duration(run.start, run.end)}`} · {run.actor}
        </p>
        <p className="jp-Colophon-urn">
          <code>{run.urn}</code>
        </p>
        {run.parent !== null && (
          <p className="jp-Colophon-place">
            {trans.__('Part of')}{' '}
            <Link urn={run.parent} name={parent ? originOf(parent, trans) : shortUrn(run.parent)} open={open} />
          </p>
        )}
      </div>
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => open(run.program)}>
          {trans.__('Program')}
        </button>
      </div>
    </div>
  );
}

function roleWord(one: TouchedEntity, trans: TranslationBundle): string {
  switch (one.role) {
    case 'program':
      return trans.__('program');
    case 'application':
      return trans.__('application');
    case 'data':
      return accessWord(one.mode ?? 'unknown', trans);
  }
}

function TouchedItem(props: { one: TouchedEntity } & Omit<IRunProps, 'model'>): React.JSX.Element {
  const { one, open, trans } = props;
  const place = [one.namespace, typeWord(one.type, trans), one.component].filter(word => word !== '');
  return (
    <li className="jp-Colophon-aspect" data-urn={one.urn} data-role={one.role}>
      <h3>
        {roleWord(one, trans)} <Link urn={one.urn} name={one.name} open={open} />
      </h3>
      <p className="jp-Colophon-written">
        {place.join(' · ')} · {moment(one.first)}
        {one.last !== one.first && ` – ${moment(one.last)}`}
        {one.deleted && ` · ${trans.__('deleted since')}`}
      </p>
      <AspectValue value={one.user} trans={trans} nothing={trans.__('Nothing was said of it.')} />
      {one.system && (
        <>
          <h4>{trans.__('System metadata')}</h4>
          <AspectValue value={one.system} trans={trans} />
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

/** View of the page of a run: everything that was recorded for it. */
export function RunBody(props: IRunProps): React.JSX.Element {
  const { model, open, trans } = props;
  const { run, touched, busy, problem } = useModel(model);
  const { stages, log, source, others } = sortedFacts(run ?? { facts: {}, status: 'running' });
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
              <p className="jp-Colophon-note">{trans.__('What statements that failed would have written.')}</p>
              <ul>
                {run.intendedOutputs.map(urn => (
                  <li key={urn}>
                    <Link urn={urn} name={shortUrn(urn)} open={open} />
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {log !== '' && (
            <Section title={trans.__('Log')}>
              <Listing label={trans.__('Log')} text={log} />
            </Section>
          )}
          <Section title={trans.__('What it touched, and what people said of it then')}>
            <NotSeen run={run} trans={trans} />
            {touched.length === 0 && <p className="jp-Colophon-note">{trans.__('Nothing.')}</p>}
            <ul className="jp-Colophon-runs">
              {touched.map(one => (
                <TouchedItem key={`${one.urn} ${one.mode} ${one.component}`} one={one} open={open} trans={trans} />
              ))}
            </ul>
          </Section>
          <Section title={trans.__('Arguments')}>
            <AspectValue value={{ properties: run.arguments, tags: [] }} trans={trans} nothing={trans.__('None.')} />
          </Section>
          <Section title={trans.__('Facts')}>
            <AspectValue value={{ properties: others, tags: [] }} trans={trans} nothing={trans.__('None.')} />
            {source !== '' && <Listing label={trans.__('Source')} text={source} />}
          </Section>
        </>
      )}
    </div>
  );
}
