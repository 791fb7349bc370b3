import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IEdge } from '../../lineage/graph';
import { getEdgeId } from '../../lineage/graph';
import { useModel } from '../../components/use-model';
import { formatTime } from '../../components/labels';
import type { LineageModel } from './model';
import { getNodeName, getNodePlace } from './labels';

function getAccessLabel(access: IEdge['access'], trans: TranslationBundle): string {
  switch (access) {
    case 'read':
      return trans.__('read');
    case 'write':
      return trans.__('write');
    case 'both':
      return trans.__('read and write');
    case 'unknown':
      return trans.__('unknown');
    case 'declared':
      return trans.__('declared');
  }
}

function getOpenEndLabel(edge: IEdge, trans: TranslationBundle): string {
  return edge.declared ? trans.__('valid') : trans.__('running');
}

function NodeCell(props: { model: LineageModel; urn: string; trans: TranslationBundle }): React.JSX.Element {
  const { model, urn, trans } = props;
  const { scene, selection } = useModel(model);
  const node = scene.nodes.get(urn)?.node;
  return (
    <td className="jp-Colophon-nodeCell">
      <button
        type="button"
        className="jp-Colophon-link"
        title={urn}
        aria-pressed={selection.node?.urn === urn}
        onClick={() => void model.selectNode(urn)}
      >
        {node ? getNodeName(node) : urn}
      </button>
      {node && <span className="jp-Colophon-subtitle">{getNodePlace(node, trans)}</span>}
    </td>
  );
}

/** The edges of the graph as a table; selecting works as in the drawing. */
export function LineageTable(props: { model: LineageModel; trans: TranslationBundle }): React.JSX.Element {
  const { model, trans } = props;
  const { scene, selection } = useModel(model);
  const selected = selection.edge ? getEdgeId(selection.edge) : null;
  return (
    <div className="jp-Colophon-table-scroll">
      <table className="jp-Colophon-table jp-Colophon-edges" aria-label={trans.__('Lineage as a table')}>
        <thead>
          <tr>
            <th scope="col">{trans.__('From')}</th>
            <th scope="col">{trans.__('To')}</th>
            <th scope="col">{trans.__('Access')}</th>
            <th scope="col">{trans.__('Runs')}</th>
            <th scope="col">{trans.__('First')}</th>
            <th scope="col">{trans.__('Last')}</th>
          </tr>
        </thead>
        <tbody>
          {scene.graph.edges.map(edge => (
            <tr key={getEdgeId(edge)} aria-selected={getEdgeId(edge) === selected}>
              <NodeCell model={model} urn={edge.source} trans={trans} />
              <NodeCell model={model} urn={edge.target} trans={trans} />
              <td>
                <button
                  type="button"
                  className="jp-Colophon-link"
                  onClick={() => void model.selectEdge(getEdgeId(edge))}
                >
                  {getAccessLabel(edge.access, trans)}
                </button>
              </td>
              <td>{edge.runCount}</td>
              <td>{formatTime(edge.start)}</td>
              <td>{edge.end === null ? getOpenEndLabel(edge, trans) : formatTime(edge.end)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
