import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { BarChart } from '../bar-chart';
import { usePanelModel } from '../use-panel-model';
import type { IProfile, Value } from './documents';
import type { IWorkspaceProps } from './workspace';

/** Returns the bars of a profile: the histogram of numbers, or the most frequent values. */
function listBars({ histogram, top }: IProfile): { label: string; value: number }[] {
  return histogram
    ? histogram.map(({ from, to, count }) => ({ label: `${from} – ${to}`, value: count }))
    : top.map(({ value, count }) => ({ label: String(value), value: count }));
}

/** A small profile of a column: its values, and the share of missing ones. */
function Profile({ profile, trans }: { profile: IProfile; trans: TranslationBundle }): React.JSX.Element {
  const { name, count, nulls, empty, distinct } = profile;
  const share = count === 0 ? 0 : Math.round((100 * (nulls + empty)) / count);
  const label = profile.histogram ? trans.__('Histogram of %1', name) : trans.__('Most frequent values of %1', name);
  return (
    <div className="jp-Dataprep-profile">
      <BarChart bars={listBars(profile)} label={label} width={90} height={24} />
      <span>{trans.__('%1 different, %2% missing', distinct, share)}</span>
    </div>
  );
}

/** A value of a row. */
function Cell({ value, trans }: { value: Value; trans: TranslationBundle }): React.JSX.Element {
  return value === null ? (
    <td className="jp-Dataprep-null">{trans.__('null')}</td>
  ) : (
    <td className={typeof value === 'number' ? 'jp-Dataprep-number' : ''}>{String(value)}</td>
  );
}

/** The rows that the recipe makes of the sample. */
export function SampleTable(
  props: IWorkspaceProps & { column: string; choose(column: string): void }
): React.JSX.Element | null {
  const { model, column, choose, trans } = props;
  const { page, profiles, busy } = usePanelModel(model);
  if (page === null) {
    return null;
  }
  return (
    <>
      <div className="jp-Dataprep-scroll" role="group" aria-label={trans.__('Rows')} tabIndex={0}>
        <table className="jp-Colophon-table" aria-label={trans.__('Rows of the sample')}>
          <thead>
            <tr>
              {page.columns.map(({ name, type }) => {
                const profile = profiles.get(name);
                return (
                  <th key={name} scope="col" aria-label={name}>
                    <button
                      type="button"
                      className="jp-Colophon-button"
                      aria-pressed={name === column}
                      aria-label={trans.__('Column %1', name)}
                      onClick={() => choose(name === column ? '' : name)}
                    >
                      {name}
                    </button>{' '}
                    <span className="jp-Dataprep-type">{type}</span>
                    {profile && <Profile profile={profile} trans={trans} />}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {page.rows.map((row, at) => (
              <tr key={at}>
                {row.map((value, index) => (
                  <Cell key={index} value={value} trans={trans} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {page.nextOffset !== null && (
        <button type="button" className="jp-Colophon-button" onClick={() => !busy && void model.loadMore()}>
          {trans.__('More rows')}
        </button>
      )}
    </>
  );
}
