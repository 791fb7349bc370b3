import React from 'react';
import { ScrollableTable } from '../../components/scrollable-table';
import { ShortForm } from '../../components/short-form';
import { TextInput } from '../../components/text-input';
import { useModel } from '../../components/use-model';
import type { IPrivacyProps } from './body';
import { getPlaceLabel } from './labels';
import type { IPersonRecords } from './model';

interface IRecordsProps extends IPrivacyProps {
  records: IPersonRecords;
}

function RecordTable({ records, trans }: IRecordsProps): React.JSX.Element {
  return (
    <ScrollableTable label={trans.__('Records of %1', records.person)}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Where')}</th>
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Records')}
          </th>
          <th scope="col">{trans.__('Fields with the name')}</th>
        </tr>
      </thead>
      <tbody>
        {records.counts.map(({ place, records: count, fields }) => (
          <tr key={place}>
            <th scope="row">{getPlaceLabel(place, trans)}</th>
            <td className="jp-Colophon-number">{count.toLocaleString()}</td>
            <td className="jp-Colophon-text-cell">
              <code>{fields.join(', ')}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** Erases the person once the name was typed. */
function EraseForm(props: IRecordsProps & { close: () => void }): React.JSX.Element {
  const { model, records, close, trans } = props;
  const [name, setName] = React.useState('');
  return (
    <ShortForm
      className="jp-Colophon-newEntry"
      label={trans.__('Erase %1', records.person)}
      submit={() => void model.erase()}
      close={close}
    >
      <p className="jp-Colophon-warning">
        {trans.__(
          'A pseudonym replaces the name in the records above, and the metadata that describes the person is deleted. This cannot be undone. Names in texts, in files and in backups remain. First end the account, the service tokens and the kernels of the person.'
        )}
      </p>
      <TextInput
        label={trans.__('Type %1 to confirm', records.person)}
        autoFocus
        autoComplete="off"
        value={name}
        setValue={setName}
      />
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={name !== records.person}>
          {trans.__('Erase')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}

/** What is recorded of a person, to export it or to erase the person. */
export function PersonRecords(props: IRecordsProps): React.JSX.Element {
  const { model, actions, records, trans } = props;
  const { erasures } = useModel(model);
  const [isErasing, setErasing] = React.useState(false);
  const { person, lines, counts } = records;
  // A stopped erasure continues, even if it left no record.
  const canErase = counts.length > 0 || erasures?.some(({ problem }) => problem !== '');
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Records of %1', person)}>
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Records of %1', person)}</h2>
        <button type="button" className="jp-Colophon-button" onClick={() => model.closeRecords()}>
          {trans.__('Close')}
        </button>
      </div>
      {counts.length > 0 ? (
        <RecordTable {...props} />
      ) : (
        <p className="jp-Colophon-note">{trans.__('No record names this person.')}</p>
      )}
      <div className="jp-Colophon-actions">
        {counts.length > 0 && (
          <button
            type="button"
            className="jp-Colophon-button"
            onClick={() =>
              actions.download('person.jsonl', new Blob([lines], { type: 'application/x-ndjson;charset=utf-8' }))
            }
          >
            {trans.__('Export as JSON lines')}
          </button>
        )}
        {canErase && !isErasing && (
          <button type="button" className="jp-Colophon-button" onClick={() => setErasing(true)}>
            {trans.__('Erase…')}
          </button>
        )}
      </div>
      {isErasing && <EraseForm {...props} close={() => setErasing(false)} />}
    </section>
  );
}
