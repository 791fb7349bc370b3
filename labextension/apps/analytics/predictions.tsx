import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { Choice, DataField, DeleteButton, EntityLinks, Form, JobCells, NameField, Table, TextField } from './controls';
import type { IPrediction } from './documents';
import { readSource } from './labels';
import type { IViewProps } from './view';

/** The form that applies the open model to a file. */
export function PredictionForm(props: IViewProps & { close: () => void }): React.JSX.Element {
  const { model, trans, close } = props;
  const [name, setName] = React.useState('');
  const [source, setSource] = React.useState('');
  const [target, setTarget] = React.useState('');
  const [format, setFormat] = React.useState<IPrediction['format']>('parquet');
  const submit = async (): Promise<string> => {
    return model.applyModel({ name, source: readSource(source), target: target.trim(), format });
  };
  return (
    <Form
      label={trans.__('Apply to a file')}
      submitLabel={trans.__('Apply')}
      members={['name', 'source', 'target']}
      submit={submit}
      close={close}
      trans={trans}
    >
      <NameField value={name} setValue={setName} trans={trans} />
      <DataField
        help={trans.__(
          'The path of a file or a folder with the same predictors, absolute or in a permitted folder, or the URN of a dataset of files.'
        )}
        value={source}
        setValue={setSource}
        trans={trans}
      />
      <TextField
        label={trans.__('Target')}
        help={trans.__('The path of a folder that does not exist yet. It gets the rows with the predictions.')}
        members={['target']}
        placeholder={trans.__('For example: %1', 'data/predicted')}
        value={target}
        setValue={setTarget}
        required
      />
      <Choice
        label={trans.__('Format')}
        value={format}
        options={[
          { value: 'parquet', label: 'parquet' },
          { value: 'csv', label: 'csv' }
        ]}
        setValue={value => setFormat(value as IPrediction['format'])}
      />
    </Form>
  );
}

/** The predictions of the open model. */
export function Predictions(props: IViewProps): React.JSX.Element | null {
  const { model, metadata, trans } = props;
  const { predictions } = usePanelModel(model);
  if (predictions.length === 0) {
    return null;
  }
  return (
    <Table label={trans.__('Predictions')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Target')}</th>
          <th scope="col" className="jp-Analytics-number">
            {trans.__('Rows')}
          </th>
          <th scope="col">{trans.__('State')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {predictions.map(prediction => (
          <tr key={prediction.name}>
            <th scope="row">{prediction.name}</th>
            <td>{prediction.target}</td>
            <td className="jp-Analytics-number">{prediction.rows?.toLocaleString()}</td>
            <JobCells job={prediction} trans={trans}>
              <div className="jp-Colophon-actions">
                {prediction.state === 'complete' && (
                  <EntityLinks
                    what={trans.__('prediction')}
                    urn={prediction.dataset}
                    metadata={metadata}
                    trans={trans}
                  />
                )}
                <DeleteButton
                  model={model}
                  name={prediction.name}
                  question={trans.__('Delete the prediction %1? Its file remains.', prediction.name)}
                  run={() => void model.deletePrediction(prediction.name)}
                  trans={trans}
                />
              </div>
            </JobCells>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
