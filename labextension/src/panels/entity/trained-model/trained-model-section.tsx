import React from 'react';
import { ScrollableTable } from '../../../components/scrollable-table';
import type { Entity } from '../../../generated/api';
import type { IModelValue } from '../../../model/trained-models/trained-model';
import { formatModelValue, readTrainedModel } from '../../../model/trained-models/trained-model';
import { shortenUrn } from '../../../model/urns';
import type { IPageProps } from '../page';

/** Metrics or parameters; the exact value of a number is its tooltip. */
function Values(
  props: IPageProps & { title: string; nameTitle: string; values: readonly IModelValue[] }
): React.JSX.Element | null {
  const { page, title, nameTitle, values } = props;
  const { trans } = page;
  const areDescribed = values.some(({ description }) => description !== '');
  return values.length === 0 ? null : (
    <div className="jp-Colophon-aspect">
      <h3>{title}</h3>
      <ScrollableTable label={title}>
        <thead>
          <tr>
            <th scope="col">{nameTitle}</th>
            <th scope="col">{trans.__('Value')}</th>
            {areDescribed && <th scope="col">{trans.__('Description')}</th>}
          </tr>
        </thead>
        <tbody>
          {values.map(({ name, value, description }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td title={value}>{formatModelValue(value)}</td>
              {areDescribed && <td>{description}</td>}
            </tr>
          ))}
        </tbody>
      </ScrollableTable>
    </div>
  );
}

/** Entities that a model comes from, as links. */
function Sources({
  page,
  title,
  urns
}: IPageProps & { title: string; urns: readonly string[] }): React.JSX.Element | null {
  return urns.length === 0 ? null : (
    <div>
      <dt>{title}</dt>
      {urns.map(urn => (
        <dd key={urn}>
          <button type="button" className="jp-Colophon-link" title={urn} onClick={() => page.actions.openEntity(urn)}>
            {shortenUrn(urn)}
          </button>
        </dd>
      ))}
    </div>
  );
}

/** A model: its algorithm, the data that it was trained and evaluated on, its metrics and its parameters. */
export function TrainedModelSection({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { trans } = page;
  const model = React.useMemo(() => readTrainedModel(entity), [entity]);
  if (model === null) {
    return null;
  }
  const { algorithm, metrics, parameters, trainingData, evaluationData, programs } = model;
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Model')}>
      <h2>{trans.__('Model')}</h2>
      <dl className="jp-Colophon-keyFacts jp-Colophon-aspect">
        {algorithm !== '' && (
          <div>
            <dt>{trans.__('Algorithm')}</dt>
            <dd>{algorithm}</dd>
          </div>
        )}
        <Sources page={page} title={trans.__('Trained on')} urns={trainingData} />
        <Sources page={page} title={trans.__('Evaluated on')} urns={evaluationData} />
        <Sources page={page} title={trans.__('Trained by')} urns={programs} />
      </dl>
      <Values page={page} title={trans.__('Metrics')} nameTitle={trans.__('Metric')} values={metrics} />
      <Values page={page} title={trans.__('Parameters')} nameTitle={trans.__('Parameter')} values={parameters} />
    </section>
  );
}
