import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IEdge } from '../../lineage/graph';
import { getEdgeId } from '../../lineage/graph';
import { useModel } from '../../components/use-model';
import { formatTime } from '../../components/labels';
import { describeChange } from './comparison';
import type { LineageModel } from './model';
import { createLabels } from './labels';

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
  const labels = React.useMemo(() => createLabels('', trans), [trans]);
  return (
    <td className="jp-Colophon-nodeCell">
      <button
        type="button"
        className="jp-Colophon-link"
        title={urn}
        aria-pressed={selection.node?.urn === urn}
        onClick={() => void (node?.members ? model.openGroup(urn) : model.selectNode(urn))}
      >
        {node ? labels.getName(node) : urn}
      </button>
      {node && <span className="jp-Colophon-subtitle">{labels.getPlace(node)}</span>}
    </td>
  );
}

/** The number of edges that are listed at first, and with each further step. */
const PAGE = 200;

/** The edges of the graph as a table; selecting works as in the drawing. */
export function LineageTable(props: { model: LineageModel; trans: TranslationBundle }): React.JSX.Element {
  const { model, trans } = props;
  const { scene, selection, comparison } = useModel(model);
  const [count, setCount] = React.useState(PAGE);
  const root = React.useRef<HTMLDivElement>(null);
  const selected = selection.edge ? getEdgeId(selection.edge) : null;
  const node = selection.node?.urn;
  const isSelected = (edge: IEdge): boolean =>
    selected === null ? node !== undefined && [edge.source, edge.target].includes(node) : getEdgeId(edge) === selected;
  const { edges } = scene.graph;
  const first = edges.findIndex(isSelected);
  const shown = edges.slice(0, Math.max(count, first + 1));
  React.useEffect(() => {
    root.current?.querySelector('tr[aria-selected=true]')?.scrollIntoView?.({ block: 'nearest' });
  }, [selected, node]);
  return (
    <div ref={root} className="jp-Colophon-table-scroll">
      <table className="jp-Colophon-table jp-Colophon-edges" aria-label={trans.__('Lineage as a table')}>
        <thead>
          <tr>
            <th scope="col">{trans.__('From')}</th>
            <th scope="col">{trans.__('To')}</th>
            <th scope="col">{trans.__('Access')}</th>
            <th scope="col">{trans.__('Runs')}</th>
            <th scope="col">{trans.__('First access')}</th>
            <th scope="col">{trans.__('Last access')}</th>
            {comparison && <th scope="col">{trans.__('Change')}</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map(edge => (
            <tr key={getEdgeId(edge)} aria-selected={isSelected(edge)}>
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
              {comparison && (
                <td data-mark={comparison.marks.get(getEdgeId(edge))}>
                  {describeChange(comparison, getEdgeId(edge), trans)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < edges.length && (
        <button type="button" className="jp-Colophon-link" onClick={() => setCount(shown.length + PAGE)}>
          {trans.__('Show %1 more', Math.min(PAGE, edges.length - shown.length))}
        </button>
      )}
    </div>
  );
}
