import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { Choice, DeleteButton, DetailsHead, Form, FormToggle, JobCells, NameField, Table, TextField } from './controls';
import type { IExperiment, ISplit } from './documents';
import { SplitStatistics } from './split-statistics';
import type { IViewProps } from './view';

/** The form of a new split. */
function SplitForm(props: IViewProps & { experiment: IExperiment; close: () => void }): React.JSX.Element {
  const { model, trans, experiment, close } = props;
  const [name, setName] = React.useState('');
  const [type, setType] = React.useState<ISplit['type']>('random');
  const [percent, setPercent] = React.useState('80');
  const [seed, setSeed] = React.useState('1');
  const submit = async (): Promise<string> => {
    return model.createSplit({ name, type, trainFraction: Number(percent) / 100, seed: Number(seed) });
  };
  const types = [
    { value: 'random', label: trans.__('random') },
    { value: 'stratified', label: trans.__('stratified by the outcome') }
  ];
  return (
    <Form
      label={trans.__('New split')}
      submitLabel={trans.__('Create')}
      members={['name', 'type', 'trainFraction', 'seed']}
      submit={submit}
      close={close}
      trans={trans}
    >
      <NameField value={name} setValue={setName} trans={trans} />
      <Choice
        label={trans.__('Type')}
        members={['type']}
        help={trans.__('A stratified split has the same share of each class in both parts.')}
        value={type}
        options={experiment.problemType === 'classification' ? types : types.slice(0, 1)}
        setValue={value => setType(value as ISplit['type'])}
      />
      <TextField
        label={trans.__('Training part (%)')}
        members={['trainFraction']}
        {...{ type: 'number', min: 5, max: 95, step: 'any', required: true }}
        value={percent}
        setValue={setPercent}
      />
      <TextField
        label={trans.__('Seed')}
        members={['seed']}
        help={trans.__('The same seed makes the same split of the same data.')}
        {...{ type: 'number', step: 1, required: true }}
        value={seed}
        setValue={setSeed}
      />
    </Form>
  );
}

/** A split in the table. */
function SplitRow(props: IViewProps & { split: ISplit; isOpen: boolean }): React.JSX.Element {
  const { model, trans, split, isOpen } = props;
  const { name, type, train, test, state } = split;
  return (
    <tr aria-selected={isOpen}>
      <DetailsHead
        name={name}
        isOpen={isOpen}
        disabled={state !== 'complete'}
        open={opened => void model.openSplit(opened)}
      />
      <td>{type === 'random' ? trans.__('random') : trans.__('stratified')}</td>
      <td className="jp-Analytics-number">{train?.rows.toLocaleString()}</td>
      <td className="jp-Analytics-number">{test?.rows.toLocaleString()}</td>
      <JobCells job={split} trans={trans}>
        <DeleteButton
          model={model}
          name={name}
          question={trans.__('Delete the split %1?', name)}
          run={() => void model.deleteSplit(name)}
          trans={trans}
        />
      </JobCells>
    </tr>
  );
}

/** The splits of an experiment, and the statistics of the open one. */
export function SplitSection(props: IViewProps & { experiment: IExperiment }): React.JSX.Element {
  const { model, trans } = props;
  const { splits, split } = usePanelModel(model);
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Splits')}>
      <h3>{trans.__('Splits')}</h3>
      <FormToggle label={trans.__('New split')}>{close => <SplitForm {...props} close={close} />}</FormToggle>
      {splits.length === 0 ? (
        <p className="jp-Colophon-note">
          {trans.__(
            'There is no split. A split divides the data: models are trained on one part, and tested on the other.'
          )}
        </p>
      ) : (
        <Table label={trans.__('Splits')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Name')}</th>
              <th scope="col">{trans.__('Type')}</th>
              <th scope="col" className="jp-Analytics-number">
                {trans.__('Training rows')}
              </th>
              <th scope="col" className="jp-Analytics-number">
                {trans.__('Test rows')}
              </th>
              <th scope="col">{trans.__('State')}</th>
              <th scope="col">{trans.__('Actions')}</th>
            </tr>
          </thead>
          <tbody>
            {splits.map(row => (
              <SplitRow key={row.name} {...props} split={row} isOpen={row.name === split?.name} />
            ))}
          </tbody>
        </Table>
      )}
      {split !== null && <SplitStatistics {...props} split={split} />}
    </section>
  );
}
