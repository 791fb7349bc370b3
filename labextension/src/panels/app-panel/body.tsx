import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { AppPanelModel } from './model';

interface IAppPanelProps {
  model: AppPanelModel;
  trans: TranslationBundle;
}

/** Chooses the namespace of a panel with contexts. */
function NamespaceChoice({ model, trans }: IAppPanelProps): React.JSX.Element {
  const { namespaces, namespace } = useModel(model);
  if (namespaces.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('There is no namespace that you may read.')}</p>;
  }
  return (
    <label className="jp-Colophon-choice">
      {trans.__('Namespace')}
      <select value={namespace} onChange={event => model.chooseNamespace(event.target.value)}>
        {namespaces.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** Why the module has failed. */
function Failure({ model, trans }: IAppPanelProps): React.JSX.Element | null {
  const { phase, failure } = useModel(model);
  if (failure === null) {
    return null;
  }
  return (
    <div className="jp-Colophon-problem" role="alert">
      <strong>
        {phase === 'import-failed'
          ? trans.__('The web module of this panel could not be loaded')
          : trans.__('The web module of this panel failed')}
      </strong>
      <p>{failure.message}</p>
      <p>{trans.__('It is part of the application %1, not of the catalog.', model.name.app)}</p>
      <button type="button" className="jp-Colophon-button" onClick={() => void model.retry()}>
        {trans.__('Try again')}
      </button>
    </div>
  );
}

/** The place of the module. It runs while its panel and namespace stay the same. */
function ModulePlace({ model, trans }: IAppPanelProps): React.JSX.Element {
  const { panel, namespace, phase } = useModel(model);
  const place = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    const run = place.current && model.run(place.current);
    return () => run?.dispose();
  }, [model, panel, namespace]);
  return (
    <>
      {phase === 'starting' && (
        <p role="status" className="jp-Colophon-note">
          {trans.__('Loading…')}
        </p>
      )}
      <Failure model={model} trans={trans} />
      <div ref={place} />
    </>
  );
}

/** The body of a tab with the panel of an application. */
export function AppPanelBody(props: IAppPanelProps): React.JSX.Element {
  const { model, trans } = props;
  const { panel, isMissing, namespace, busy, problem } = useModel(model);
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {isMissing && (
        <div className="jp-Colophon-problem" role="alert">
          <strong>{trans.__('This panel is not available')}</strong>
          <p>
            {trans.__(
              'The application %1 is not running, has no panel %2, or you may not use it.',
              model.name.app,
              model.name.id
            )}
          </p>
          <button type="button" className="jp-Colophon-button" onClick={() => void model.retry()}>
            {trans.__('Try again')}
          </button>
        </div>
      )}
      {panel && (
        <>
          <div className="jp-Colophon-head">
            <div>
              <h1>{panel.title}</h1>
            </div>
            {panel.contexts && <NamespaceChoice {...props} />}
          </div>
          {(!panel.contexts || namespace !== '') && <ModulePlace {...props} />}
        </>
      )}
    </div>
  );
}
