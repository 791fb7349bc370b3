import React from 'react';
import type { IClassification } from '../documents';
import type { IViewProps } from '../view';

/** How often each class was predicted for each actual class. */
export function ConfusionMatrix(props: {
  name: string;
  evaluation: IClassification;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { name, evaluation, trans } = props;
  const { classes, confusion } = evaluation;
  const most = Math.max(...confusion.flat(), 1);
  return (
    <table className="jp-Analytics-confusion">
      <caption>{trans.__('Confusion matrix of %1', name)}</caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('Actual')}</th>
          {classes.map(predicted => (
            <th key={predicted} scope="col">
              {trans.__('predicted %1', predicted)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {classes.map((actual, row) => (
          <tr key={actual}>
            <th scope="row">{actual}</th>
            {(confusion[row] ?? []).map((count, column) => (
              <td
                key={column}
                data-right={row === column}
                style={{
                  background: `color-mix(in srgb, var(${row === column ? '--jp-success-color1' : '--jp-error-color1'}) ${(count / most) * 30}%, transparent)`
                }}
              >
                {count.toLocaleString()}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
