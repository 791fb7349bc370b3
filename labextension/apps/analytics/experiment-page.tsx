import React from 'react';
import { DeleteButton, EntityLinks } from './controls';
import type { IExperiment } from './documents';
import { ModelSection } from './model-section';
import { SplitSection } from './split-section';
import type { IViewProps } from './view';

/** An experiment with its splits and models. */
export function ExperimentPage(props: IViewProps & { experiment: IExperiment }): React.JSX.Element {
  const { model, metadata, trans, experiment } = props;
  const { name, description, source, outcome, predictors, problemType } = experiment;
  const heading = React.useRef<HTMLHeadingElement>(null);
  // What the user activated is gone.
  React.useEffect(() => heading.current?.focus(), [name]);
  return (
    <>
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => void model.closeExperiment()}>
          {trans.__('All experiments')}
        </button>
        <EntityLinks what={trans.__('data')} urn={source.dataset} metadata={metadata} trans={trans} />
        <DeleteButton
          model={model}
          name={name}
          question={trans.__('Delete %1 with its splits and models?', name)}
          run={() => void model.deleteExperiment(name)}
          trans={trans}
        />
      </div>
      <div>
        <h2 ref={heading} tabIndex={-1}>
          {trans.__('Experiment %1', name)}
        </h2>
        {description !== '' && <p>{description}</p>}
        <p className="jp-Colophon-note">
          {problemType === 'classification'
            ? trans.__('Classification of %1 from %2', outcome.name, predictors.map(column => column.name).join(', '))
            : trans.__('Regression of %1 from %2', outcome.name, predictors.map(column => column.name).join(', '))}
        </p>
        <p className="jp-Colophon-note">{source.path ?? source.dataset}</p>
      </div>
      <SplitSection {...props} />
      <ModelSection {...props} />
    </>
  );
}
