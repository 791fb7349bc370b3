import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Dialog } from '@jupyterlab/apputils';
import React from 'react';
import type { InstanceImport } from '../../generated/api';

type Result = InstanceImport['results'][number];

const MAX_ROWS = 200;

function getOutcomeLabel(outcome: Result['outcome'], overwrite: boolean, trans: TranslationBundle): string {
  switch (outcome) {
    case 'created':
      return trans.__('new');
    case 'updated':
      return trans.__('replaces the existing instance');
    case 'unchanged':
      return trans.__('unchanged');
    case 'conflict':
      return overwrite ? trans.__('replaces the existing instance') : trans.__('skipped: a different instance exists');
    case 'invalid':
      return trans.__('skipped: invalid');
    case 'failed':
      return trans.__('skipped');
  }
}

function Results(props: { report: InstanceImport; overwrite: boolean; trans: TranslationBundle }): React.JSX.Element {
  const { report, overwrite, trans } = props;
  const shown = report.results.slice(0, MAX_ROWS);
  const remaining = report.results.length - shown.length;
  return (
    <div className="jp-Colophon-report" tabIndex={0} role="region" aria-label={trans.__('Import preview')}>
      <table>
        <tbody>
          {shown.map((result, index) => (
            <tr key={index} data-outcome={result.outcome}>
              <th scope="row">{result.name}</th>
              <td>
                {getOutcomeLabel(result.outcome, overwrite, trans)}
                {['invalid', 'failed'].includes(result.outcome) && result.reason !== '' && (
                  <span className="jp-Colophon-invalid">{result.reason}</span>
                )}
                {result.outcome === 'conflict' && result.problems.length > 0 && (
                  <span className="jp-Colophon-note">
                    {trans.__(
                      'differs: %1',
                      result.problems.map(problem => problem.pointer || problem.message).join(', ')
                    )}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {remaining > 0 && <p className="jp-Colophon-note">{trans._n('and %1 more', 'and %1 more', remaining)}</p>}
    </div>
  );
}

function Body(props: {
  report: InstanceImport;
  trans: TranslationBundle;
  choose: (overwrite: boolean) => void;
}): React.JSX.Element {
  const { report, trans, choose } = props;
  const [overwrite, setOverwrite] = React.useState(false);
  const { created, conflict, unchanged, invalid, failed } = report.counts;
  const rejected = invalid + failed;
  const counts = [
    created > 0 ? trans._n('%1 new', '%1 new', created) : '',
    conflict > 0 ? trans._n('%1 conflict', '%1 conflicts', conflict) : '',
    unchanged > 0 ? trans._n('%1 unchanged', '%1 unchanged', unchanged) : '',
    rejected > 0 ? trans._n('%1 invalid', '%1 invalid', rejected) : ''
  ].filter(words => words !== '');
  return (
    <>
      <p>{counts.join(' · ')}</p>
      {conflict > 0 && (
        <label className="jp-Colophon-overwrite">
          <input
            type="checkbox"
            checked={overwrite}
            onChange={event => {
              setOverwrite(event.target.checked);
              choose(event.target.checked);
            }}
          />{' '}
          {trans.__('Replace existing instances')}
        </label>
      )}
      <Results report={report} overwrite={overwrite} trans={trans} />
    </>
  );
}

/** The preview of an import; its value is whether existing instances may be replaced. */
export class ImportReport extends ReactWidget implements Dialog.IBodyWidget<boolean> {
  constructor(
    private _report: InstanceImport,
    private _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-Colophon');
    this.addClass('jp-Colophon-import');
  }

  getValue(): boolean {
    return this._overwrite;
  }

  protected override render(): React.JSX.Element {
    return <Body report={this._report} trans={this._trans} choose={overwrite => void (this._overwrite = overwrite)} />;
  }

  private _overwrite = false;
}
