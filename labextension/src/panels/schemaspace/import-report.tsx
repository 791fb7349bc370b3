import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Dialog } from '@jupyterlab/apputils';
import React from 'react';
import type { InstanceImport } from '../../generated/api';

type Result = InstanceImport['results'][number];

const ROWS_MOST = 200;

function outcomeWord(outcome: Result['outcome'], overwrite: boolean, trans: TranslationBundle): string {
  switch (outcome) {
    case 'created':
      return trans.__('new');
    case 'updated':
      return trans.__('replaces the one there');
    case 'unchanged':
      return trans.__('the same is there');
    case 'conflict':
      return overwrite ? trans.__('replaces the one there') : trans.__('left out: another one is there');
    case 'invalid':
      return trans.__('left out: not valid');
    case 'failed':
      return trans.__('left out');
  }
}

function Results(props: { report: InstanceImport; overwrite: boolean; trans: TranslationBundle }): React.JSX.Element {
  const { report, overwrite, trans } = props;
  const told = report.results.slice(0, ROWS_MOST);
  const rest = report.results.length - told.length;
  return (
    <div className="jp-Colophon-report" tabIndex={0} role="region" aria-label={trans.__('What the import would do')}>
      <table>
        <tbody>
          {told.map((result, index) => (
            <tr key={index} data-outcome={result.outcome}>
              <th scope="row">{result.name}</th>
              <td>
                {outcomeWord(result.outcome, overwrite, trans)}
                {['invalid', 'failed'].includes(result.outcome) && result.reason !== '' && (
                  <span className="jp-Colophon-wrong">{result.reason}</span>
                )}
                {result.outcome === 'conflict' && result.problems.length > 0 && (
                  <span className="jp-Colophon-note">
                    {trans.__('differs: %1', result.problems.map(one => one.pointer || one.message).join(', '))}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="jp-Colophon-note">{trans._n('and %1 more', 'and %1 more', rest)}</p>}
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
  const left = invalid + failed;
  const counts = [
    created > 0 ? trans._n('%1 new', '%1 new', created) : '',
    conflict > 0 ? trans._n('%1 is there and differs', '%1 are there and differ', conflict) : '',
    unchanged > 0 ? trans._n('%1 is the same', '%1 are the same', unchanged) : '',
    left > 0 ? trans._n('%1 cannot be taken in', '%1 cannot be taken in', left) : ''
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
          {trans.__('Replace those that are there')}
        </label>
      )}
      <Results report={report} overwrite={overwrite} trans={trans} />
    </>
  );
}

/** What an import would do; its value is whether what is there may be replaced. */
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
