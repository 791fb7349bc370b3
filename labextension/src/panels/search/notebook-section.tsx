import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { NotebookDataModel } from '../../model/notebooks/notebook-data';
import { describeUrn } from '../../model/urns';
import type { ICurrentNotebook } from '../../notebook/current-notebook';
import type { IMetadataService } from '../../tokens';
import { EntityRow } from './entity-row';

interface INotebookSectionProps {
  notebook: ICurrentNotebook;
  metadata: IMetadataService;
  trans: TranslationBundle;
}

interface IRow {
  urn: string;
  isRead: boolean;
  isWritten: boolean;
}

/** Lists written data before data that is only read. */
function listRows({ reads, writes }: NotebookDataModel['state']): IRow[] {
  const [read, written] = [new Set(reads.map(use => use.urn)), new Set(writes.map(use => use.urn))];
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

/** What the current notebook reads and writes, live. */
export function NotebookSection({ notebook, metadata, trans }: INotebookSectionProps): React.JSX.Element {
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
    <ul className="jp-Colophon-list">
      {rows.map(row => (
        <li key={row.urn}>
          <EntityRow entity={describeUrn(row.urn)} openers={metadata} trans={trans}>
            <span className="jp-Colophon-description">{getUseLabel(row, trans)}</span>
          </EntityRow>
        </li>
      ))}
    </ul>
  );
}
