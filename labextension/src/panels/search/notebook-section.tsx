import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getRunName } from '../../components/run-name';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { CellState } from '../../model/notebooks/cell-states';
import { CellStatesModel } from '../../model/notebooks/cell-states';
import { NotebookDataModel } from '../../model/notebooks/notebook-data';
import { omitVariables } from '../../model/notebooks/variable';
import { describeUrn } from '../../model/urns';
import type { ICurrentNotebook } from '../../notebook/current-notebook';
import { describeChanges } from '../../notebook/describe-changes';
import { labelCells, listCellIds } from '../../notebook/cell-list';
import type { IMetadataService } from '../../tokens';
import { EntityRow } from './entity-row';

interface INotebookSectionProps {
  notebook: ICurrentNotebook;
  metadata: IMetadataService;
  /** Runs the stale cells of the notebook. */
  runStaleCells: () => void;
  trans: TranslationBundle;
}

interface IRow {
  urn: string;
  isRead: boolean;
  isWritten: boolean;
}

/** Lists written data before data that is only read. */
function listRows({ reads, writes }: NotebookDataModel['state']): IRow[] {
  const read = new Set(omitVariables(reads).map(use => use.urn));
  const written = new Set(omitVariables(writes).map(use => use.urn));
  return [...new Set([...written, ...read])].map(urn => ({
    urn,
    isRead: read.has(urn),
    isWritten: written.has(urn)
  }));
}

function getUseLabel({ isRead, isWritten }: IRow, trans: TranslationBundle): string {
  if (isRead && isWritten) {
    return trans.__('read and written');
  }
  return isWritten ? trans.__('written') : trans.__('read');
}

interface IStaleCellsProps extends INotebookSectionProps {
  cells: readonly CellState[];
  data: NotebookDataModel['state'];
}

/** The stale cells of the notebook with the reasons, and a button that runs them. */
function StaleCells({ cells, data, notebook, metadata, runStaleCells, trans }: IStaleCellsProps): React.JSX.Element {
  const path = data.path ?? '';
  const labels = notebook.widget === undefined ? () => undefined : labelCells(notebook.widget);
  const nameCell = ({ cell, run }: CellState): string => {
    const known = data.runs.find(({ urn }) => urn === run);
    return [labels(cell), known === undefined ? cell : getRunName(known, trans)].join(' ').trim();
  };
  return (
    <div role="group" aria-label={trans.__('Stale cells')} className="jp-Colophon-staleCells">
      <p className="jp-Colophon-note">
        {trans._n('%1 stale cell', '%1 stale cells', cells.length)}{' '}
        <button type="button" className="jp-Colophon-link" onClick={runStaleCells}>
          {trans._n('Run it', 'Run them', cells.length)}
        </button>
      </p>
      <ul className="jp-Colophon-list">
        {cells.map(state => (
          <li key={state.cell}>
            <button
              type="button"
              className="jp-Colophon-link"
              onClick={() => metadata.openCell({ path, cell: state.cell })}
            >
              {nameCell(state)}
            </button>
            {describeChanges(state, path, labels, trans).map(reason => (
              <span key={reason} className="jp-Colophon-description">
                {reason}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Which cells of the notebook are stale, live. */
function useStaleCells(
  data: NotebookDataModel,
  notebook: ICurrentNotebook,
  metadata: IMetadataService
): readonly CellState[] {
  const model = React.useMemo(() => {
    const listCells = (): string[] | null => (notebook.widget === undefined ? null : listCellIds(notebook.widget));
    return new CellStatesModel(metadata, metadata.feed, data, listCells);
  }, [data, notebook, metadata]);
  React.useEffect(() => {
    model.show();
    return () => model.hide();
  }, [model]);
  return useModel(model).stale;
}

/** What the current notebook reads and writes, and its stale cells, live. */
export function NotebookSection(props: INotebookSectionProps): React.JSX.Element {
  const { notebook, metadata, trans } = props;
  const path = useModel(notebook);
  const model = React.useMemo(
    () => new NotebookDataModel(metadata, metadata.feed, notebook.state),
    [metadata, notebook]
  );
  React.useEffect(() => {
    model.show();
    return () => model.hide();
  }, [model]);
  React.useEffect(() => model.setPath(path), [model, path]);
  const state = useModel(model);
  const stale = useStaleCells(model, notebook, metadata);
  const rows = React.useMemo(() => listRows(state), [state]);
  if (state.problem) {
    return <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />;
  }
  if (path === null) {
    return <p className="jp-Colophon-note">{trans.__('Open a notebook to see what it reads and writes.')}</p>;
  }
  if (rows.length === 0) {
    return (
      <p className="jp-Colophon-note">
        {state.busy ? trans.__('Loading…') : trans.__('Nothing recorded for %1 yet.', path)}
      </p>
    );
  }
  return (
    <>
      {stale.length > 0 && <StaleCells {...props} cells={stale} data={state} />}
      <ul className="jp-Colophon-list">
        {rows.map(row => (
          <li key={row.urn}>
            <EntityRow entity={describeUrn(row.urn)} openers={metadata} trans={trans}>
              <span className="jp-Colophon-description">{getUseLabel(row, trans)}</span>
            </EntityRow>
          </li>
        ))}
      </ul>
    </>
  );
}
