import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IPanelContext } from '../../src/tokens';
import { CallStatus } from '../call-status';
import { ConfirmButton } from '../confirm-button';
import { usePanelModel } from '../use-panel-model';
import { ConnectionForm } from './connection-form';
import type { IConnection, IEntry } from './documents';
import { Folder } from './folder';
import { HomeModel } from './home-model';
import { WorkspaceList } from './workspace-list';

/** What the first page needs. */
export interface IPageProps {
  context: IPanelContext;
  trans: TranslationBundle;
  open(workspace: string): void;
}

/** What a part of the first page needs. */
interface IHomeProps {
  model: HomeModel;
  trans: TranslationBundle;
}

interface IConnectionsProps extends IHomeProps {
  /** The heading, which is focused when a control with the focus is removed. */
  title: React.RefObject<HTMLHeadingElement>;
}

/** The connections, with a form for a new or changed one. */
function Connections({ model, title, trans }: IConnectionsProps): React.JSX.Element {
  const { connections, busy } = usePanelModel(model);
  const [edited, setEdited] = React.useState<IConnection | null>(null);
  const create = (): void => setEdited({ name: '', type: 'file' });
  const close = (): void => {
    setEdited(null);
    title.current?.focus();
  };
  const remove = async (name: string): Promise<void> => {
    if (await model.deleteConnection(name)) {
      title.current?.focus();
    }
  };
  return (
    <section className="jp-Colophon-card-section" aria-labelledby="dataprep-connections">
      <h2 id="dataprep-connections" ref={title} tabIndex={-1}>
        {trans.__('Connections')}
      </h2>
      {connections.length === 0 && !busy && (
        <p className="jp-Colophon-note">
          {trans.__('There is no connection yet. Create one to a folder of files, a database or Kafka.')}
        </p>
      )}
      <ul className="jp-Dataprep-list">
        {connections.map(connection => (
          <li key={connection.name} aria-label={connection.name}>
            <span>
              <strong>{connection.name}</strong>{' '}
              <span className="jp-Colophon-note">{connection.folder ?? connection.url ?? connection.servers}</span>
            </span>
            <span className="jp-Colophon-actions">
              <button
                type="button"
                className="jp-Colophon-button"
                onClick={() => void model.browse(connection.name, '')}
              >
                {trans.__('Browse')}
              </button>
              <button type="button" className="jp-Colophon-button" onClick={() => setEdited(connection)}>
                {trans.__('Edit')}
              </button>
              <ConfirmButton
                label={trans.__('Delete')}
                accessibleLabel={trans.__('Delete the connection %1', connection.name)}
                question={trans.__('Delete the connection %1?', connection.name)}
                run={() => void remove(connection.name)}
              />
            </span>
          </li>
        ))}
      </ul>
      {edited === null ? (
        <button type="button" className="jp-Colophon-button" onClick={create}>
          {trans.__('New connection')}
        </button>
      ) : (
        <ConnectionForm key={edited.name} model={model} connection={edited} close={close} trans={trans} />
      )}
    </section>
  );
}

/** The first page: connections and workspaces of the namespace. */
export function HomePage({ context, trans, open }: IPageProps): React.JSX.Element {
  const model = React.useMemo(() => new HomeModel(context), [context]);
  const state = usePanelModel(model);
  const connections = React.useRef<HTMLHeadingElement>(null);
  React.useEffect(() => void model.load(), [model]);
  const sample = async (entry: IEntry): Promise<void> => {
    const id = await model.createWorkspace(state.browsed!.connection, entry);
    if (id !== '') {
      open(id);
    }
  };
  return (
    <div className="jp-Dataprep-home jp-Colophon-textFields" aria-busy={state.busy}>
      <CallStatus calls={state} trans={trans} />
      <WorkspaceList model={model} open={open} leave={() => connections.current?.focus()} trans={trans} />
      <Connections model={model} title={connections} trans={trans} />
      {state.browsed && (
        <Folder
          browsed={state.browsed}
          show={path => void model.browse(state.browsed!.connection, path)}
          sample={entry => void sample(entry)}
          close={() => model.closeFolder()}
          trans={trans}
        />
      )}
    </div>
  );
}
