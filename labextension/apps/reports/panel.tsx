import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IPanelContext } from '../../src/tokens';
import { CallStatus } from '../call-status';
import { mount } from '../mount';
import { usePanelModel } from '../use-panel-model';
import { GroupChart, Timeline } from './charts';
import { ReportForm, SavedReports } from './form';
import { formatValue } from './format';
import { ReportsModel } from './model';
import type { IReport } from './report';
import styles from './reports.css';
import { GroupTable, RunTable } from './tables';

interface IBodyProps {
  model: ReportsModel;
  openEntity(urn: string): void;
  trans: TranslationBundle;
}

/** Lets the browser save a text as a file. */
function saveFile(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** What all runs of a report have in common. */
function Summary({ report, trans }: { report: IReport; trans: TranslationBundle }): React.JSX.Element {
  const { summary } = report;
  const facts: [string, string][] = [
    [trans.__('Runs'), formatValue('runs', summary.runs)],
    [trans.__('Success'), formatValue('successShare', summary.successShare)],
    [trans.__('Average'), formatValue('averageDurationMs', summary.averageDurationMs)],
    [trans.__('95 % within'), formatValue('p95DurationMs', summary.p95DurationMs)],
    [trans.__('Namespaces'), summary.namespaces.map(({ namespace, runs }) => `${namespace} (${runs})`).join(', ')],
    [trans.__('Owners'), summary.owners.map(({ user, runs }) => `${user} (${runs})`).join(', ')]
  ];
  return (
    <dl className="jp-Reports-summary" aria-label={trans.__('Summary')}>
      {facts
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The summary, charts and tables of the shown report. */
function ReportView({ model, openEntity, trans }: IBodyProps): React.JSX.Element | null {
  const { report, runs, form, busy } = usePanelModel(model);
  if (report === null) {
    return null;
  }
  const download = async (): Promise<void> => {
    const text = await model.readCsv();
    if (text !== '') {
      saveFile(text, `${form.name.trim().replace(/[^\w-]+/g, '_') || 'report'}.csv`);
    }
  };
  if (report.summary.runs === 0) {
    return <p className="jp-Colophon-note">{trans.__('No run that you may read starts in this interval.')}</p>;
  }
  return (
    <>
      <Summary report={report} trans={trans} />
      <Timeline report={report} trans={trans} />
      <section className="jp-Colophon-card-section" aria-label={trans.__('Groups')}>
        <h2>{trans.__('Groups')}</h2>
        <div className="jp-Colophon-actions">
          <button type="button" className="jp-Colophon-button" disabled={busy} onClick={() => void download()}>
            {trans.__('Download CSV')}
          </button>
          {report.truncated && (
            <span className="jp-Colophon-note">
              {trans.__('The first %1 of %2 groups', report.rows.length, report.groups)}
            </span>
          )}
        </div>
        <GroupChart report={report} measure={form.sort} trans={trans} />
        <div className="jp-Reports-scroll">
          <GroupTable {...{ report, openEntity, trans }} />
        </div>
      </section>
      {runs.length > 0 && <RunTable {...{ runs, openEntity, trans }} />}
    </>
  );
}

function ReportsPanel(props: IBodyProps): React.JSX.Element {
  const { model, trans } = props;
  const state = usePanelModel(model);
  const runs = state.report?.summary.runs ?? 0;
  return (
    <div className="jp-Reports">
      <ReportForm model={model} trans={trans} />
      <SavedReports model={model} trans={trans} />
      <CallStatus calls={state} message={trans._n('%1 run', '%1 runs', runs)} trans={trans} />
      <ReportView {...props} />
    </div>
  );
}

/** Shows reports on the runs of all namespaces. */
export function activate(context: IPanelContext): () => void {
  const model = new ReportsModel(context.call, context.signal);
  void model.load();
  const openEntity = (urn: string): void => context.metadata.openEntity(urn);
  return mount(context, trans => <ReportsPanel {...{ model, openEntity, trans }} />, styles);
}
