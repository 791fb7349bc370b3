import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { DeleteButton, DetailsHead, JobCells, Table } from './controls';
import type { IModel } from './documents';
import { formatNumber, getMetricLabel, isError } from './labels';
import { MOST_COMPARED } from './model';
import type { IViewProps } from './view';

/** By what the table is sorted: a metric, `name`, or `created`. */
interface IOrder {
  by: string;
  descending: boolean;
}

function getValue(model: IModel, by: string): string | number | undefined {
  return by === 'name' ? model.name : by === 'created' ? model.createdMs : model.metrics?.[by];
}

function compareValues(one: string | number, other: string | number): number {
  return typeof one === 'string' || typeof other === 'string' ? String(one).localeCompare(String(other)) : one - other;
}

/** Sorts models; those without the value are last. */
export function sortModels(models: readonly IModel[], { by, descending }: IOrder): IModel[] {
  return [...models].sort((one, other) => {
    const [value, otherValue] = [getValue(one, by), getValue(other, by)];
    if (value === undefined || otherValue === undefined) {
      return Number(value === undefined) - Number(otherValue === undefined);
    }
    return compareValues(value, otherValue) * (descending ? -1 : 1);
  });
}

/** The head of a column by which the table can be sorted; the first click shows the best values first. */
function SortableHead(props: {
  by: string;
  label: string;
  order: IOrder;
  setOrder: (order: IOrder) => void;
  className?: string;
}): React.JSX.Element {
  const { by, label, order, setOrder, className } = props;
  const isSorted = order.by === by;
  const descending = isSorted ? !order.descending : by !== 'name' && !isError(by);
  const direction = order.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" className={className} aria-sort={isSorted ? direction : 'none'}>
      <button type="button" className="jp-Analytics-sort" onClick={() => setOrder({ by, descending })}>
        {label}
        <span aria-hidden="true">{isSorted ? (order.descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}

/** A model in the table. */
function ModelRow(props: IViewProps & { row: IModel; metrics: readonly string[] }): React.JSX.Element {
  const { model, trans, row, metrics } = props;
  const { algorithms, compared, model: open } = usePanelModel(model);
  const { name, state } = row;
  const isOpen = open?.name === name;
  const isCompared = compared.includes(name);
  return (
    <tr aria-selected={isOpen}>
      <td>
        <input
          type="checkbox"
          aria-label={trans.__('Compare %1', name)}
          checked={isCompared}
          disabled={state !== 'complete' || (!isCompared && compared.length >= MOST_COMPARED)}
          onChange={() => void model.toggleCompared(name)}
        />
      </td>
      <DetailsHead name={name} isOpen={isOpen} open={opened => void model.openModel(opened)} />
      <td>{algorithms.find(algorithm => algorithm.name === row.algorithm)?.title ?? row.algorithm}</td>
      <td>{row.split}</td>
      {metrics.map(metric => (
        <td key={metric} className="jp-Analytics-number">
          {formatNumber(row.metrics?.[metric])}
        </td>
      ))}
      <JobCells job={row} trans={trans}>
        <DeleteButton
          model={model}
          name={name}
          question={trans.__('Delete the model %1 with its predictions?', name)}
          run={() => void model.deleteModel(name)}
          trans={trans}
        />
      </JobCells>
    </tr>
  );
}

/** The models of an experiment with their metrics of the test part. */
export function ModelTable(props: IViewProps): React.JSX.Element {
  const { model, trans } = props;
  const { models } = usePanelModel(model);
  const [order, setOrder] = React.useState<IOrder>({ by: 'created', descending: true });
  const metrics = [...new Set(models.flatMap(row => Object.keys(row.metrics ?? {})))];
  const sorting = { order, setOrder };
  return (
    <Table label={trans.__('Models')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Compare')}</th>
          <SortableHead by="name" label={trans.__('Name')} {...sorting} />
          <th scope="col">{trans.__('Algorithm')}</th>
          <th scope="col">{trans.__('Split')}</th>
          {metrics.map(metric => (
            <SortableHead
              key={metric}
              by={metric}
              label={getMetricLabel(metric, trans)}
              className="jp-Analytics-number"
              {...sorting}
            />
          ))}
          <th scope="col">{trans.__('State')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {sortModels(models, order).map(row => (
          <ModelRow key={row.name} {...props} row={row} metrics={metrics} />
        ))}
      </tbody>
    </Table>
  );
}
