import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IEdge, INode, Side } from '../../lineage/graph';
import { ProblemNote } from '../../components/problem';
import { RunList } from '../../components/runs';
import { useModel } from '../../components/use-model';
import { moment, typeWord } from '../../components/words';
import { Columns } from './columns';
import { Impact } from './impact';
import type { ISelection, LineageModel } from './model';

interface IDetailsProps {
  model: LineageModel;
  open: (urn: string) => void;
  openLineage: (urn: string) => void;
  trans: TranslationBundle;
}

function accessWord(access: IEdge['access'], trans: TranslationBundle): string {
  switch (access) {
    case 'read':
      return trans.__('reads');
    case 'write':
      return trans.__('writes');
    case 'both':
      return trans.__('reads and writes');
    case 'unknown':
      return trans.__('touches');
    case 'declared':
      return trans.__('is made of');
  }
}

function ExpandButton(props: {
  node: INode;
  side: Side;
  model: LineageModel;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { node, side, model, trans } = props;
  const count = node.notShown[side];
  if (count === 0) {
    return null;
  }
  return (
    <button type="button" className="jp-Colophon-button" onClick={() => void model.expand(node.urn, side)}>
      {side === 'upstream' ? trans.__('+%1 upstream', count) : trans.__('+%1 downstream', count)}
    </button>
  );
}

function NodeHead({ node, ...props }: IDetailsProps & { node: INode }): React.JSX.Element {
  const { model, open, openLineage, trans } = props;
  const name = node.title === undefined ? '' : node.name;
  const place = [name, node.namespace, typeWord(node.type, trans), node.platform ?? ''].filter(word => word !== '');
  return (
    <div>
      <h2>{node.title ?? node.name}</h2>
      <p className="jp-Colophon-place">{place.join(' · ')}</p>
      {node.deleted && <p className="jp-Colophon-note">{trans.__('Deleted; its history is kept.')}</p>}
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => open(node.urn)}>
          {trans.__('Open page')}
        </button>
        {node.urn !== model.urn && (
          <button type="button" className="jp-Colophon-button" onClick={() => openLineage(node.urn)}>
            {trans.__('Lineage from here')}
          </button>
        )}
        <button
          type="button"
          className="jp-Colophon-button"
          title={trans.__('What is made of this, however far')}
          onClick={() => void model.weigh()}
        >
          {trans.__('Impact')}
        </button>
        <ExpandButton node={node} side="upstream" model={model} trans={trans} />
        <ExpandButton node={node} side="downstream" model={model} trans={trans} />
      </div>
    </div>
  );
}

function EdgeHead({ edge, model, trans }: IDetailsProps & { edge: IEdge }): React.JSX.Element {
  const { nodes } = model.state.scene;
  const source = nodes.get(edge.source)?.node;
  const target = nodes.get(edge.target)?.node;
  // What is declared leads from data to data: the target is made of the source.
  const [subject, object] = source?.type === 'dataset' ? [target, source] : [source, target];
  const runs = edge.declared
    ? trans.__('declared by %1', edge.reportedBy)
    : trans._n('%1 run', '%1 runs', edge.runCount);
  const open = edge.declared ? trans.__('in force') : trans.__('still running');
  return (
    <div>
      <h2>
        {subject?.name} {accessWord(edge.access, trans)} {object?.name}
      </h2>
      <p className="jp-Colophon-place">
        {runs} · {moment(edge.start)}
        {edge.end === null ? ` · ${open}` : ` – ${moment(edge.end)}`}
      </p>
      {edge.components.length > 0 && <p className="jp-Colophon-note">{edge.components.join(', ')}</p>}
    </div>
  );
}

function Runs({ selection, open, trans }: { selection: ISelection } & IDetailsProps): React.JSX.Element {
  return (
    <section>
      <h3>{trans.__('Runs in this time')}</h3>
      {selection.problem && <ProblemNote problem={selection.problem} trans={trans} />}
      {selection.runs ? (
        <RunList runs={selection.runs} label={trans.__('Runs')} open={open} trans={trans} />
      ) : (
        !selection.problem && <p role="status">{trans.__('Loading…')}</p>
      )}
    </section>
  );
}

/** What is known of the picked node or edge. */
export function LineageDetails(props: IDetailsProps): React.JSX.Element | null {
  const { model, trans } = props;
  const { selection, choice } = useModel(model);
  if (!selection.node && !selection.edge) {
    return null;
  }
  return (
    <aside className="jp-Colophon-details" aria-label={trans.__('Details')}>
      <button
        type="button"
        className="jp-Colophon-close"
        aria-label={trans.__('Close details')}
        title={trans.__('Close details')}
        onClick={() => model.pickNothing()}
      >
        ×
      </button>
      {selection.node && <NodeHead {...props} node={selection.node} />}
      {selection.edge && <EdgeHead {...props} edge={selection.edge} />}
      {selection.impact && <Impact impact={selection.impact} trans={trans} />}
      <Runs {...props} selection={selection} />
      {choice.columns && selection.columns.length === 0 && (
        <p className="jp-Colophon-note">{trans.__('No columns are known here.')}</p>
      )}
      <Columns columns={selection.columns} trans={trans} />
    </aside>
  );
}
