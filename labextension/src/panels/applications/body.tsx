import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { BreakableName } from '../../components/breakable-name';
import { ProblemNote } from '../../components/problem';
import { ScrollableTable } from '../../components/scrollable-table';
import { Tabs } from '../../components/tabs';
import { useModel } from '../../components/use-model';
import type { SystemApp } from '../../generated/api';
import { ArtifactsTab } from './artifacts/body';
import { Events } from './events';
import type { IApplicationsActions } from './index';
import { Log } from './log';
import type { ApplicationsModel, AppPanel } from './model';
import { Schedules } from './schedules';
import { Services } from './services';

/** What the parts of the page share. */
export interface IApplicationsProps {
  model: ApplicationsModel;
  actions: IApplicationsActions;
  trans: TranslationBundle;
}

/** The panels that the user may open. */
function Panels(props: IApplicationsProps & { panels: readonly AppPanel[] }): React.JSX.Element {
  const { panels, actions, trans } = props;
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Panels')}>
      <h2>{trans.__('Panels')}</h2>
      {panels.length === 0 ? (
        <p className="jp-Colophon-note">{trans.__('No running application has a panel that you may use.')}</p>
      ) : (
        <ul className="jp-Colophon-appPanels">
          {panels.map(panel => (
            <li key={`${panel.app}/${panel.id}`}>
              <button type="button" className="jp-Colophon-link" onClick={() => actions.openPanel(panel)}>
                {panel.title}
              </button>{' '}
              <span className="jp-Colophon-note">{trans.__('of the application %1', panel.app)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Returns the label of a state. */
function getStateLabel(state: SystemApp['state'], trans: TranslationBundle): string {
  switch (state) {
    case 'starting':
      return trans.__('starting');
    case 'running':
      return trans.__('running');
    case 'installed':
      return trans.__('installed');
    case 'failed':
      return trans.__('failed');
    case 'disabled':
      return trans.__('disabled');
    case 'uninstalled':
      return trans.__('not installed');
  }
}

/** An installed application, or one that left tables. */
function AppRow(
  props: IApplicationsProps & { app: SystemApp; panels: readonly AppPanel[]; returnFocus: () => void }
): React.JSX.Element {
  const { model, actions, app, panels, returnFocus, trans } = props;
  const { name, state, problem, warnings, tables } = app;
  const isDroppable = tables.length > 0 && (state === 'uninstalled' || state === 'disabled');
  const dropTables = async (): Promise<void> => {
    if (await actions.confirmDroppingTables(name)) {
      await model.dropTables(name);
      returnFocus();
    }
  };
  return (
    <tr data-name={name}>
      <th scope="row">{name}</th>
      <td>{app.package === '' ? app.version : trans.__('%1 of %2', app.version, app.package)}</td>
      <td>
        {state === 'failed' ? <strong>{getStateLabel(state, trans)}</strong> : getStateLabel(state, trans)}
        {problem !== '' && (
          <p className="jp-Colophon-error">
            {problem}
            <br />
            <span className="jp-Colophon-note">{trans.__('The log of the server has the traceback.')}</span>
          </p>
        )}
        {warnings.map(warning => (
          <p key={warning} className="jp-Colophon-error">
            {warning}
          </p>
        ))}
      </td>
      <td className="jp-Colophon-wideCell">
        <BreakableName text={tables.join(', ')} />
      </td>
      <td>
        {panels
          .filter(panel => panel.app === name)
          .map(({ title }) => title)
          .join(', ')}
      </td>
      <td>
        <div className="jp-Colophon-actions">
          {isDroppable && (
            <button
              type="button"
              className="jp-Colophon-button"
              aria-label={trans.__('Delete the tables of %1', name)}
              onClick={() => void dropTables()}
            >
              {trans.__('Delete tables…')}
            </button>
          )}
          {state !== 'uninstalled' && <InstalledAppButtons {...props} />}
        </div>
      </td>
    </tr>
  );
}

/** What can be done with an installed application. */
function InstalledAppButtons(props: IApplicationsProps & { app: SystemApp }): React.JSX.Element {
  const { model, actions, app, trans } = props;
  const { name, state } = app;
  const isDisabled = state === 'disabled';
  const disable = async (): Promise<void> => {
    if (await actions.confirmDisabling(name)) {
      await model.setEnabled(name, false);
    }
  };
  return (
    <>
      <button
        type="button"
        className="jp-Colophon-button"
        aria-label={isDisabled ? trans.__('Enable %1', name) : trans.__('Disable %1', name)}
        onClick={() => void (isDisabled ? model.setEnabled(name, true) : disable())}
      >
        {isDisabled ? trans.__('Enable') : trans.__('Disable…')}
      </button>
      <button
        type="button"
        className="jp-Colophon-button"
        aria-label={trans.__('Show the log of %1', name)}
        onClick={() => void model.showLog(name)}
      >
        {trans.__('Log')}
      </button>
      {state === 'failed' && (
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={trans.__('Load %1 again', name)}
          onClick={() => void model.setEnabled(name, true)}
        >
          {trans.__('Load again')}
        </button>
      )}
    </>
  );
}

/** The installed applications, for administrators. */
function Apps(
  props: IApplicationsProps & { apps: readonly SystemApp[]; panels: readonly AppPanel[]; returnFocus: () => void }
): React.JSX.Element {
  const { apps, trans } = props;
  if (apps.length === 0) {
    return <p>{trans.__('No installed package has a system application.')}</p>;
  }
  return (
    <ScrollableTable label={trans.__('Installed applications')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Version')}</th>
          <th scope="col">{trans.__('State')}</th>
          <th scope="col">{trans.__('Tables')}</th>
          <th scope="col">{trans.__('Panels')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {apps.map(app => (
          <AppRow key={`${app.package}/${app.name}`} {...props} app={app} />
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** The panels and applications. */
function Overview(props: IApplicationsProps & { returnFocus: () => void }): React.JSX.Element {
  const { model, returnFocus, trans } = props;
  const { panels, apps, problem } = useModel(model);
  return (
    <>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {panels && <Panels {...props} panels={panels} />}
      {panels && apps && (
        <section className="jp-Colophon-card-section" aria-label={trans.__('Installed applications')}>
          <h2>{trans.__('Installed applications')}</h2>
          <Apps {...props} panels={panels} apps={apps} returnFocus={returnFocus} />
        </section>
      )}
      {apps && <Services {...props} apps={apps} />}
      {apps && <Schedules {...props} apps={apps} />}
      <Log {...props} returnFocus={returnFocus} />
      <Events {...props} returnFocus={returnFocus} />
    </>
  );
}

/** The body of the page. */
export function ApplicationsBody(props: IApplicationsProps): React.JSX.Element {
  const { model, actions, trans } = props;
  const { busy } = useModel(model);
  const [tab, setTab] = React.useState('overview');
  const id = React.useId();
  const heading = React.useRef<HTMLHeadingElement>(null);
  const returnFocus = (): void => {
    if (document.activeElement === document.body) {
      heading.current?.focus();
    }
  };
  const tabs = [
    { id: 'overview', label: trans.__('Overview') },
    { id: 'artifacts', label: trans.__('Artifacts') }
  ];
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1 ref={heading} tabIndex={-1}>
        {trans.__('Applications')}
      </h1>
      <Tabs id={id} label={trans.__('Parts of the page')} tabs={tabs} selected={tab} select={setTab}>
        {tab === 'overview' ? (
          <Overview {...props} returnFocus={returnFocus} />
        ) : (
          <ArtifactsTab createModel={() => model.createArtifacts()} actions={actions} trans={trans} />
        )}
      </Tabs>
    </div>
  );
}
