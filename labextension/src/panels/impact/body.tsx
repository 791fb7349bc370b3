import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { downloadFile } from '../../components/download-file';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { ColumnImpact } from '../../generated/api';
import { getTypeIcon } from '../../icons';
import { shortenUrn } from '../../model/urns';
import type { ColumnImpactModel } from './model';
import { formatColumnImpactCsv } from './model';

/** The number of entities that a list shows at first, and with each further step. */
const PAGE = 50;

/** An entity in a list. */
interface IListed {
  urn: string;
  type: string;
  label: string;
  note: string;
}

interface IImpactProps {
  /** Opens the page of an entity. */
  open: (urn: string) => void;
  trans: TranslationBundle;
}

interface IShownImpact extends IImpactProps {
  impact: ColumnImpact;
  /** The names by which people know the programs, by URN. */
  names: ReadonlyMap<string, string>;
}

function EntityList(props: IImpactProps & { title: string; entities: readonly IListed[] }): React.JSX.Element | null {
  const { title, entities, open, trans } = props;
  const [count, setCount] = React.useState(PAGE);
  if (entities.length === 0) {
    return null;
  }
  return (
    <section aria-label={title}>
      <h3>
        {title} <span className="jp-Colophon-count">{entities.length.toLocaleString()}</span>
      </h3>
      <ul className="jp-Colophon-affected" aria-label={title} tabIndex={0}>
        {entities.slice(0, count).map(({ urn, type, label, note }) => {
          const Icon = getTypeIcon(type).react;
          return (
            <li key={urn}>
              <Icon tag="span" width="14px" aria-hidden="true" />{' '}
              <button type="button" className="jp-Colophon-link" title={urn} onClick={() => open(urn)}>
                {label}
              </button>{' '}
              {note !== '' && <span className="jp-Colophon-note">{note}</span>}
            </li>
          );
        })}
      </ul>
      {count < entities.length && (
        <button type="button" className="jp-Colophon-link" onClick={() => setCount(count + PAGE)}>
          {trans.__('Show %1 more', Math.min(PAGE, entities.length - count))}
        </button>
      )}
    </section>
  );
}

/** Lists the dependent columns of one kind, each with the program that computes it. */
function listColumns(
  { impact, names, trans }: Pick<IShownImpact, 'impact' | 'names' | 'trans'>,
  dependency: 'data' | 'control'
): IListed[] {
  return impact.columns
    .filter(column => column.dependency === dependency)
    .map(({ urn, name, column, program }) => ({
      urn,
      type: 'schemaField',
      label: `${name}.${column}`,
      note: program === null ? trans.__('declared') : trans.__('by %1', names.get(program) ?? shortenUrn(program))
    }));
}

/** What depends on a column: by its values, by control only, and what may use it. */
function Impact(props: IShownImpact): React.JSX.Element {
  const { impact, open, trans } = props;
  const { columns, mayUse, truncated } = impact;
  const possible = mayUse.map(({ urn, type, namespace, name, title }) => ({
    urn,
    type,
    label: title ?? name,
    note: namespace
  }));
  if (columns.length + mayUse.length === 0) {
    return <p>{trans.__('Nothing in the catalog depends on it.')}</p>;
  }
  const save = (): void =>
    downloadFile('impact.csv', new Blob([formatColumnImpactCsv(impact)], { type: 'text/csv;charset=utf-8' }));
  return (
    <>
      {truncated && <p>{trans.__('The search was stopped at a limit: there may be more.')}</p>}
      <EntityList
        title={trans.__('Its values flow into')}
        entities={listColumns(props, 'data')}
        open={open}
        trans={trans}
      />
      <EntityList
        title={trans.__('Filtered, joined or grouped by it')}
        entities={listColumns(props, 'control')}
        open={open}
        trans={trans}
      />
      <EntityList
        title={trans.__('May use it: their columns are unknown')}
        entities={possible}
        open={open}
        trans={trans}
      />
      <button type="button" className="jp-Colophon-button" onClick={save}>
        {trans.__('Save as CSV')}
      </button>
    </>
  );
}

/** What depends on a column. */
export function ColumnImpactBody({ model, ...props }: IImpactProps & { model: ColumnImpactModel }): React.JSX.Element {
  const { impact, names, problem } = useModel(model);
  const { trans } = props;
  if (problem) {
    return <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />;
  }
  return (
    <div role="status">
      {impact === null ? (
        <p>{trans.__('Looking for what depends on it…')}</p>
      ) : (
        <Impact impact={impact} names={names} {...props} />
      )}
    </div>
  );
}
