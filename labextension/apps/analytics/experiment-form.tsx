import React from 'react';
import { Choice, DataField, Field, Form, NameField, TextField } from './controls';
import type { ColumnType, IColumn, IInspection, ISource } from './documents';
import { readSource } from './labels';
import type { IViewProps } from './view';

/** A column with what the user has chosen for it. */
interface IChosenColumn extends IColumn {
  isPredictor: boolean;
  examples: readonly string[];
}

function chooseAll({ columns }: IInspection): IChosenColumn[] {
  return columns.map(({ name, type, examples }) => ({ name, type, examples, isPredictor: true }));
}

/** Chooses the type of a column. */
function TypeChoice(props: {
  name: string;
  type: ColumnType;
  choose: (type: ColumnType) => void;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { name, type, choose, trans } = props;
  return (
    <select
      aria-label={trans.__('Type of %1', name)}
      value={type}
      onChange={event => choose(event.target.value as ColumnType)}
    >
      <option value="numeric">{trans.__('numeric')}</option>
      <option value="categorical">{trans.__('categorical')}</option>
    </select>
  );
}

/** Chooses the outcome, the predictors and their types. */
function ColumnChoice(props: {
  columns: readonly IChosenColumn[];
  outcome: string;
  setColumns: (columns: readonly IChosenColumn[]) => void;
  setOutcome: (name: string) => void;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { columns, outcome, setColumns, setOutcome, trans } = props;
  const change = (name: string, fields: Partial<IChosenColumn>): void =>
    setColumns(columns.map(column => (column.name === name ? { ...column, ...fields } : column)));
  return (
    <>
      <Choice
        label={trans.__('Outcome')}
        help={trans.__(
          'The column that models predict: a categorical one for classification, a numeric one for regression.'
        )}
        value={outcome}
        options={columns.map(({ name }) => ({ value: name, label: name }))}
        setValue={setOutcome}
      />
      <table className="jp-Colophon-table" aria-label={trans.__('Columns')}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Column')}</th>
            <th scope="col">{trans.__('Predictor')}</th>
            <th scope="col">{trans.__('Type')}</th>
            <th scope="col">{trans.__('Examples')}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, type, examples, isPredictor }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {name === outcome ? (
                  trans.__('outcome')
                ) : (
                  <input
                    type="checkbox"
                    aria-label={trans.__('Use %1 as a predictor', name)}
                    checked={isPredictor}
                    onChange={event => change(name, { isPredictor: event.target.checked })}
                  />
                )}
              </td>
              <td>
                <TypeChoice name={name} type={type} choose={chosen => change(name, { type: chosen })} trans={trans} />
              </td>
              <td>{examples.slice(0, 3).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Names the data. */
function SourceFields(props: {
  source: ISource;
  setSource: (source: ISource) => void;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { source, setSource, trans } = props;
  const { path, dataset, ...reading } = source;
  const { format = '', header = true } = reading;
  return (
    <>
      <DataField
        help={trans.__(
          'The path of a file or a folder, absolute or in a permitted folder (by default the one that JupyterLab shows), or the URN of a dataset of files.'
        )}
        value={dataset ?? path ?? ''}
        setValue={text => setSource({ ...reading, ...readSource(text) })}
        trans={trans}
      />
      <Choice
        label={trans.__('Format')}
        value={format}
        options={[
          { value: '', label: trans.__('by the suffix of the file') },
          ...['csv', 'tsv', 'json', 'jsonl', 'parquet'].map(value => ({ value, label: value }))
        ]}
        setValue={chosen => {
          setSource({ ...source, format: chosen });
        }}
      />
      <Field label={trans.__('The first row has the names of the columns (CSV and TSV)')}>
        {id => (
          <input
            id={id}
            type="checkbox"
            checked={header}
            onChange={event => setSource({ ...source, header: event.target.checked })}
          />
        )}
      </Field>
    </>
  );
}

/** The form of a new experiment: it reads the columns of the data first, and then creates the experiment. */
export function ExperimentForm(props: IViewProps & { close: () => void }): React.JSX.Element {
  const { model, trans, close } = props;
  const [name, setName] = React.useState('');
  const [description, setDescription] = React.useState('');
  const [source, setSource] = React.useState<ISource>({ path: '' });
  const [inspection, setInspection] = React.useState<IInspection | null>(null);
  const [columns, setColumns] = React.useState<readonly IChosenColumn[]>([]);
  const [outcome, setOutcome] = React.useState('');
  const inspect = async (): Promise<string | null> => {
    const { format, ...others } = source;
    const inspected = await model.inspect(format ? source : others);
    if (inspected === null || typeof inspected === 'string') {
      return inspected;
    }
    const chosen = chooseAll(inspected);
    setInspection(inspected);
    setColumns(chosen);
    setOutcome(chosen.at(-1)?.name ?? '');
    return null;
  };
  const outcomeColumn = columns.find(column => column.name === outcome);
  const predictors = columns.filter(column => column.isPredictor && column.name !== outcome);
  const submit = async (): Promise<string | null> => {
    if (inspection === null || outcomeColumn === undefined) {
      return inspect();
    }
    const toColumn = (column: IColumn): IColumn => ({ name: column.name, type: column.type });
    const draft = {
      ...{ description, source: inspection.source },
      ...{ outcome: toColumn(outcomeColumn), predictors: predictors.map(toColumn) }
    };
    return model.createExperiment(name, draft);
  };
  return (
    <Form
      label={trans.__('New experiment')}
      submitLabel={inspection === null ? trans.__('Read columns') : trans.__('Create')}
      members={['name', 'source']}
      ready={inspection === null || predictors.length > 0}
      submit={submit}
      close={close}
      trans={trans}
    >
      <NameField value={name} setValue={setName} trans={trans} />
      <TextField label={trans.__('Description')} value={description} setValue={setDescription} />
      <SourceFields
        source={source}
        setSource={changed => {
          setSource(changed);
          setInspection(null);
          setColumns([]);
        }}
        trans={trans}
      />
      <p className="jp-Colophon-note" role="status">
        {inspection !== null &&
          trans.__(
            'Choose the outcome, and remove predictors that must not be used, such as identifiers. The types are those of the first 1,000 rows.'
          )}
      </p>
      {inspection !== null && (
        <ColumnChoice
          columns={columns}
          outcome={outcome}
          setColumns={setColumns}
          setOutcome={setOutcome}
          trans={trans}
        />
      )}
    </Form>
  );
}
