import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ConfirmButton } from '../confirm-button';
import { usePanelModel } from '../use-panel-model';
import type { IWorkspaceSummary } from './documents';
import type { HomeModel } from './home-model';

interface IListProps {
  model: HomeModel;
  open(workspace: string): void;
  /** Moves the focus to what follows, when the last workspace is deleted. */
  leave(): void;
  trans: TranslationBundle;
}

/** Changes the name of a workspace. */
function NameForm(props: { workspace: IWorkspaceSummary; close(): void } & IListProps): React.JSX.Element {
  const { workspace, model, close, trans } = props;
  const [error, setError] = React.useState('');
  const submit = async (event: React.FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get('name') as string;
    const refusal = await model.renameWorkspace(workspace.id, name);
    setError(refusal);
    if (refusal === '') {
      close();
    }
  };
  return (
    <form className="jp-Colophon-actions" onSubmit={event => void submit(event)}>
      <input
        name="name"
        aria-label={trans.__('Name of the workspace')}
        aria-invalid={error !== ''}
        required
        autoFocus
        maxLength={200}
        defaultValue={workspace.name}
      />
      <button className="jp-Colophon-button jp-mod-primary">{trans.__('Save')}</button>
      <button type="button" className="jp-Colophon-button" onClick={close}>
        {trans.__('Cancel')}
      </button>
      {error !== '' && (
        <p className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

/** The workspaces of the namespace: opens, renames and deletes them. */
export function WorkspaceList(props: IListProps): React.JSX.Element | null {
  const { model, open, leave, trans } = props;
  const { workspaces } = usePanelModel(model);
  const [renamed, setRenamed] = React.useState('');
  const title = React.useRef<HTMLHeadingElement>(null);
  const remove = async (id: string): Promise<void> => {
    if (!(await model.deleteWorkspace(id))) {
      return;
    }
    if (model.state.workspaces.length > 0) {
      title.current?.focus();
    } else {
      leave();
    }
  };
  if (workspaces.length === 0) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-labelledby="dataprep-workspaces">
      <h2 id="dataprep-workspaces" ref={title} tabIndex={-1}>
        {trans.__('Workspaces')}
      </h2>
      <ul className="jp-Dataprep-list">
        {workspaces.map(workspace => (
          <li key={workspace.id} aria-label={workspace.name}>
            {renamed === workspace.id ? (
              <NameForm {...props} workspace={workspace} close={() => setRenamed('')} />
            ) : (
              <>
                <span>
                  <strong>{workspace.name}</strong>{' '}
                  <span className="jp-Colophon-note">
                    {workspace.source.path === undefined
                      ? ''
                      : `${workspace.source.connection}/${workspace.source.path}`}
                  </span>
                </span>
                <span className="jp-Colophon-actions">
                  <button type="button" className="jp-Colophon-button" onClick={() => open(workspace.id)}>
                    {trans.__('Open')}
                  </button>
                  <button type="button" className="jp-Colophon-button" onClick={() => setRenamed(workspace.id)}>
                    {trans.__('Rename')}
                  </button>
                  <ConfirmButton
                    label={trans.__('Delete')}
                    accessibleLabel={trans.__('Delete the workspace %1', workspace.name)}
                    question={trans.__('Delete the workspace %1?', workspace.name)}
                    run={() => void remove(workspace.id)}
                  />
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
