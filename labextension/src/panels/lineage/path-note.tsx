import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { useModel } from '../../components/use-model';
import { shortenUrn } from '../../model/urns';
import { getNodeName } from './labels';
import type { LineageModel } from './model';

/** The state of a path between two nodes. */
export function PathNote(props: { model: LineageModel; trans: TranslationBundle }): React.JSX.Element | null {
  const { model, trans } = props;
  const { pathStart, path, whole } = useModel(model);
  const getName = (urn: string): string => {
    const node = whole.nodes.find(other => other.urn === urn);
    return node ? getNodeName(node) : shortenUrn(urn);
  };
  const message = pathStart
    ? trans.__('Select the node to which the path from %1 leads.', getNodeName(pathStart))
    : path &&
      (path.count === 0
        ? trans.__('No path leads between %1 and %2.', getName(path.from), getName(path.to))
        : trans._n(
            '%1 shortest path from %2 to %3',
            '%1 shortest paths from %2 to %3',
            path.count,
            getName(path.from),
            getName(path.to)
          ));
  return message === null ? null : (
    <p role="status" className="jp-Colophon-note jp-Colophon-hint">
      {message}{' '}
      <button type="button" className="jp-Colophon-link" onClick={() => void model.clearPath()}>
        {trans.__('Clear path')}
      </button>
    </p>
  );
}
