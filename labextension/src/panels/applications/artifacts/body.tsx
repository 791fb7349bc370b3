import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatTime } from '../../../components/labels';
import { ProblemNote } from '../../../components/problem';
import { ScrollableTable } from '../../../components/scrollable-table';
import { useLiveModel } from '../../../components/use-live-model';
import { useModel } from '../../../components/use-model';
import type { Artifact } from '../../../generated/api';
import { formatBytes } from './format-bytes';
import type { ArtifactsModel } from './model';
import { Plugins } from './plugins';
import { Upload } from './upload';

/** The actions of the artifacts. */
export interface IArtifactActions {
  /** Asks whether to delete an artifact. */
  confirmDeletion(artifact: Artifact): Promise<boolean>;
  /** Opens the page of an entity. */
  openEntity(urn: string): void;
}

interface IArtifactsProps {
  model: ArtifactsModel;
  actions: IArtifactActions;
  trans: TranslationBundle;
}

/** A version of an artifact. */
function ArtifactRow(
  props: IArtifactsProps & { artifact: Artifact; mayDelete: boolean; onDeleted: () => void }
): React.JSX.Element {
  const { model, actions, artifact, mayDelete, onDeleted, trans } = props;
  const { name, version, kind, size, created, createdBy, plugins, urn } = artifact;
  const remove = async (): Promise<void> => {
    if (await actions.confirmDeletion(artifact)) {
      await model.delete(artifact);
      onDeleted();
    }
  };
  return (
    <tr>
      <th scope="row">
        <button type="button" className="jp-Colophon-link" onClick={() => actions.openEntity(urn)}>
          {name}
        </button>
      </th>
      <td>{version}</td>
      <td>{kind === 'wheel' ? trans.__('wheel') : trans.__('module')}</td>
      <td className="jp-Colophon-number">{formatBytes(size, trans)}</td>
      <td>{createdBy}</td>
      <td>
        <time dateTime={created}>{formatTime(created)}</time>
      </td>
      <td>
        <ul className="jp-Colophon-appPanels">
          {plugins.map(plugin => (
            <li key={plugin.value}>
              {trans.__('%1 (%2)', plugin.name, plugin.type)}
              {plugin.description !== '' && <span className="jp-Colophon-note">: {plugin.description}</span>}
            </li>
          ))}
        </ul>
      </td>
      <td>
        <div className="jp-Colophon-actions">
          <button
            type="button"
            className="jp-Colophon-button"
            aria-label={trans.__('Show the plugins of %1 %2', name, version)}
            onClick={() => model.select(urn)}
          >
            {trans.__('Plugins')}
          </button>
          {mayDelete && (
            <button
              type="button"
              className="jp-Colophon-button"
              aria-label={trans.__('Delete %1 %2', name, version)}
              onClick={() => void remove()}
            >
              {trans.__('Delete…')}
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}

/** The artifacts, by name and version. */
function ArtifactTable(
  props: IArtifactsProps & { artifacts: readonly Artifact[]; mayDelete: boolean; onDeleted: () => void }
): React.JSX.Element {
  const { artifacts, trans } = props;
  if (artifacts.length === 0) {
    return <p>{trans.__('The namespace has no artifacts.')}</p>;
  }
  return (
    <ScrollableTable label={trans.__('Artifacts')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Version')}</th>
          <th scope="col">{trans.__('Kind')}</th>
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Size')}
          </th>
          <th scope="col">{trans.__('Uploaded by')}</th>
          <th scope="col">{trans.__('Uploaded')}</th>
          <th scope="col">{trans.__('Plugins')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {artifacts.map(artifact => (
          <ArtifactRow key={artifact.urn} {...props} artifact={artifact} />
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** The tab of artifacts; they are loaded while it is shown. */
export function ArtifactsTab(props: {
  createModel: () => ArtifactsModel;
  actions: IArtifactActions;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { createModel, actions, trans } = props;
  const model = useLiveModel(createModel, []);
  return model && <Artifacts model={model} actions={actions} trans={trans} />;
}

/** The artifacts of a namespace. */
function Artifacts(props: IArtifactsProps): React.JSX.Element {
  const { model, trans } = props;
  const { namespaces, namespace, artifacts, missing, selected, busy, problem } = useModel(model);
  const heading = React.useRef<HTMLHeadingElement>(null);
  const returnFocus = (): void => {
    if (document.activeElement === document.body) {
      heading.current?.focus();
    }
  };
  const close = (): void => {
    model.select('');
    heading.current?.focus();
  };
  const opened = artifacts?.find(({ urn }) => urn === selected);
  return (
    <div aria-busy={busy}>
      <section className="jp-Colophon-card-section" aria-label={trans.__('Artifacts')}>
        <div className="jp-Colophon-sectionHead">
          <h2 ref={heading} tabIndex={-1}>
            {trans.__('Artifacts')}
          </h2>
          <div className="jp-Colophon-actions">
            <label className="jp-Colophon-choice">
              {trans.__('Namespace')}
              <select value={namespace} onChange={event => void model.chooseNamespace(event.target.value)}>
                {namespaces.map(name => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
        </div>
        <p className="jp-Colophon-note">
          {trans.__(
            'Wheels and modules with plugins, which stages of pipelines and applications use in this namespace only. The content of a version never changes.'
          )}
        </p>
        {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
        {artifacts && <Upload model={model} trans={trans} />}
        {artifacts && (
          <ArtifactTable {...props} artifacts={artifacts} mayDelete={missing === null} onDeleted={returnFocus} />
        )}
      </section>
      {opened && <Plugins artifact={opened} close={close} trans={trans} />}
    </div>
  );
}
