import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IPanelContext } from '../../src/tokens';
import { CallStatus } from '../call-status';
import { usePanelModel } from '../use-panel-model';
import { ColumnSection } from './column-section';
import { DirectiveLine } from './directive-line';
import { Publishing } from './publishing';
import { Recipe } from './recipe';
import { RejectedRows } from './rejected-rows';
import { SampleTable } from './sample-table';
import { WorkspaceModel } from './workspace-model';

/** What a part of the page of a workspace needs. */
export interface IWorkspaceProps {
  model: WorkspaceModel;
  trans: TranslationBundle;
}

/** The page of a workspace: the rows with the recipe beside them. */
export function WorkspacePage(props: {
  context: IPanelContext;
  id: string;
  close(): void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { context, id, close, trans } = props;
  const model = React.useMemo(() => new WorkspaceModel(context, id), [context, id]);
  const state = usePanelModel(model);
  const [column, setColumn] = React.useState('');
  const title = React.useRef<HTMLHeadingElement>(null);
  React.useEffect(() => {
    void model.load();
    // What the user activated is gone.
    title.current?.focus();
  }, [model]);
  const { workspace, page } = state;
  const closeColumn = (): void => {
    setColumn('');
    title.current?.focus();
  };
  const message = page === null ? '' : trans._n('%1 row', '%1 rows', page.rowCount);
  const isShown = page?.columns.some(({ name }) => name === column) ?? false;
  return (
    <div className="jp-Dataprep-workspace jp-Colophon-textFields" aria-busy={state.busy}>
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('All workspaces')}
        </button>
        <h2 ref={title} tabIndex={-1}>
          {workspace?.name}
        </h2>
      </div>
      <CallStatus calls={state} message={message} trans={trans} />
      {workspace && page && (
        <>
          <DirectiveLine model={model} trans={trans} />
          <div className="jp-Dataprep-columns">
            <div>
              <SampleTable model={model} column={column} choose={setColumn} trans={trans} />
              <RejectedRows page={page} trans={trans} />
            </div>
            <div className="jp-Dataprep-side">
              {isShown && (
                <ColumnSection key={column} model={model} column={column} close={closeColumn} trans={trans} />
              )}
              <Recipe model={model} trans={trans} />
              <Publishing model={model} trans={trans} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}
