import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { Choice, Form, NameField, TextField } from './controls';
import type { IExperiment } from './documents';
import { formatMember, getDefaults, ParameterFields, readParameters } from './parameters';
import type { IViewProps } from './view';

/** The form that trains a model. */
export function ModelForm(props: IViewProps & { experiment: IExperiment; close: () => void }): React.JSX.Element {
  const { model, trans, experiment, close } = props;
  const { algorithms: all, splits: known } = usePanelModel(model);
  const algorithms = all.filter(({ problemType }) => problemType === experiment.problemType);
  const splits = known.filter(({ state }) => state === 'complete');
  const [name, setName] = React.useState('');
  const [description, setDescription] = React.useState('');
  const [splitName, setSplitName] = React.useState(splits[0]?.name ?? '');
  const [algorithm, setAlgorithm] = React.useState(algorithms[0]);
  const [entered, setEntered] = React.useState(getDefaults(algorithms[0]?.schema.properties ?? {}));
  const chooseAlgorithm = (chosen: string): void => {
    const next = algorithms.find(other => other.name === chosen);
    setAlgorithm(next);
    setEntered(getDefaults(next?.schema.properties ?? {}));
  };
  const submit = async (): Promise<string> => {
    if (algorithm === undefined) {
      return '';
    }
    const parameters = readParameters(algorithm.schema.properties, entered);
    return model.trainModel({ name, description, split: splitName, algorithm: algorithm.name, parameters });
  };
  return (
    <Form
      label={trans.__('New model')}
      submitLabel={trans.__('Train')}
      members={['name', 'split', ...Object.keys(algorithm?.schema.properties ?? {}).map(formatMember)]}
      ready={algorithm !== undefined && splitName !== ''}
      submit={submit}
      close={close}
      trans={trans}
    >
      <NameField value={name} setValue={setName} trans={trans} />
      <TextField label={trans.__('Description')} value={description} setValue={setDescription} />
      <Choice
        label={trans.__('Split')}
        members={['split']}
        value={splitName}
        options={splits.map(split => ({ value: split.name, label: split.name }))}
        setValue={setSplitName}
      />
      <Choice
        label={trans.__('Algorithm')}
        {...(algorithm ? { help: algorithm.description } : {})}
        value={algorithm?.name ?? ''}
        options={algorithms.map(other => ({ value: other.name, label: other.title }))}
        setValue={chooseAlgorithm}
      />
      {algorithm && <ParameterFields schemas={algorithm.schema.properties} entered={entered} setEntered={setEntered} />}
    </Form>
  );
}
