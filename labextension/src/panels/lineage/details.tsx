import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Run } from '../../generated/api';
import type { IEdge, INode, Side } from '../../lineage/graph';
import { getEdgeId } from '../../lineage/graph';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { getRunName } from '../../components/run-name';
import { RunList, describeTableVersions } from '../../components/runs';
import { SourceText } from '../../components/source-text';
import { useModel } from '../../components/use-model';
import { formatTime, getTypeLabel } from '../../components/labels';
import type { ICellPlace } from '../../model/notebooks/cell-place';
import { isDataType, parseNotebookUrn } from '../../model/urns';
import { Columns } from './columns';
import { Impact } from './impact';
import { getNodeName } from './labels';
import { describeChange } from './comparison';
import type { LineageModel } from './model';
import type { ISelection } from './selection';

interface IDetailsProps {
  model: LineageModel;
  open: (urn: string) => void;
  openLineage: (urn: string) => void;
  openCell: (place: ICellPlace) => void;
  trans: TranslationBundle;
}

function getAccessLabel(access: IEdge['access'], trans: TranslationBundle): string {
  switch (access) {
    case 'read':
      return trans.__('reads');
    case 'write':
      return trans.__('writes');
    case 'both':
      return trans.__('reads and writes');
    case 'unknown':
      return trans.__('accesses');
    case 'declared':
      return trans.__('is derived from');
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

/** Begins a path between two nodes, or ends it at this node. */
function PathButtons(props: { node: INode; model: LineageModel; trans: TranslationBundle }): React.JSX.Element | null {
  const { node, model, trans } = props;
  const { pathStart } = useModel(model);
  if (pathStart === null) {
    return (
      <button
        type="button"
        className="jp-Colophon-button"
        title={trans.__('Then select the node at the other end')}
        onClick={() => model.startPath(node)}
      >
        {trans.__('Path from here')}
      </button>
    );
  }
  return pathStart.urn === node.urn ? null : (
    <button type="button" className="jp-Colophon-button jp-mod-primary" onClick={() => void model.showPath(node.urn)}>
      {trans.__('Show path to %1', getNodeName(pathStart))}
    </button>
  );
}

function NodeHead({ node, ...props }: IDetailsProps & { node: INode }): React.JSX.Element {
  const { model, open, openLineage, openCell, trans } = props;
  const notebook = parseNotebookUrn(node.urn);
  const name = node.title === undefined ? '' : node.name;
  const place = [name, node.namespace, getTypeLabel(node.type, trans), node.platform ?? ''].filter(word => word !== '');
  return (
    <div>
      <h2>{node.title ?? node.name}</h2>
      <p className="jp-Colophon-subtitle">{place.join(' · ')}</p>
      {node.deleted && <p className="jp-Colophon-note">{trans.__('Deleted; the history is available.')}</p>}
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => open(node.urn)}>
          {trans.__('Open page')}
        </button>
        {notebook && (
          <button type="button" className="jp-Colophon-button" onClick={() => openCell({ ...notebook })}>
            {notebook.cell === undefined ? trans.__('Open notebook') : trans.__('Open cell')}
          </button>
        )}
        {node.urn !== model.urn && (
          <button type="button" className="jp-Colophon-button" onClick={() => openLineage(node.urn)}>
            {trans.__('Lineage from here')}
          </button>
        )}
        <button
          type="button"
          className="jp-Colophon-button"
          title={trans.__('All downstream entities')}
          onClick={() => void model.loadImpact()}
        >
          {trans.__('Impact')}
        </button>
        <PathButtons node={node} model={model} trans={trans} />
        <ExpandButton node={node} side="upstream" model={model} trans={trans} />
        <ExpandButton node={node} side="downstream" model={model} trans={trans} />
      </div>
    </div>
  );
}

/** How an edge differs between the two times that are compared. */
function ChangeNote(props: { edge: IEdge; model: LineageModel; trans: TranslationBundle }): React.JSX.Element | null {
  const { edge, model, trans } = props;
  const { comparison } = useModel(model);
  const id = getEdgeId(edge);
  const change = comparison ? describeChange(comparison, id, trans) : '';
  return change === '' ? null : (
    <p className="jp-Colophon-note jp-Colophon-comparison">
      <span data-mark={comparison?.marks.get(id)}>{change}</span>
    </p>
  );
}

/** Describes an edge in a sentence. */
function describeEdge(
  edge: IEdge,
  source: INode | undefined,
  target: INode | undefined,
  trans: TranslationBundle
): string {
  if (edge.through) {
    return trans.__('%1 uses what %2 computed', target?.name ?? '', source?.name ?? '');
  }
  // Declared lineage leads from data to data: the target is derived from the source.
  const [subject, object] = isDataType(source?.type) ? [target, source] : [source, target];
  return [subject?.name, getAccessLabel(edge.access, trans), object?.name].join(' ');
}

/** The component of accesses that only the names in the code connect (capture/report_documents.py). */
const INFERRED_BY_NAME = 'inferred by name';

/** Explains how lineage of libraries was inferred, if the server knows it: by the weakest way of the runs; else empty. */
function describeInference({ components, through }: IEdge, trans: TranslationBundle): string {
  if (components.includes(INFERRED_BY_NAME)) {
    return trans.__(
      'Inferred by name: the data passed through code that is not observed, and the names in the code connect it.'
    );
  }
  return through ? trans.__('Inferred by object: the values were followed from cell to cell.') : '';
}

/** The heading of the details of an edge, with its runs. */
function EdgeHead({ edge, model, trans }: IDetailsProps & { edge: IEdge }): React.JSX.Element {
  const { nodes } = model.state.scene;
  const source = nodes.get(edge.source)?.node;
  const target = nodes.get(edge.target)?.node;
  const runs = edge.declared
    ? trans.__('declared by %1', edge.reportedBy)
    : trans._n('%1 run', '%1 runs', edge.runCount);
  const inference = describeInference(edge, trans);
  const components = edge.components.filter(component => component !== INFERRED_BY_NAME);
  const versions = describeTableVersions(edge.tableVersions, trans);
  const open = edge.declared ? trans.__('valid') : trans.__('still running');
  return (
    <div>
      <h2>{describeEdge(edge, source, target, trans)}</h2>
      <p className="jp-Colophon-subtitle">
        {runs} · {formatTime(edge.start)}
        {edge.end === null ? ` · ${open}` : ` – ${formatTime(edge.end)}`}
      </p>
      <ChangeNote edge={edge} model={model} trans={trans} />
      {edge.through && (
        <p className="jp-Colophon-note">
          {trans._n(
            'through the variable %2',
            'through the variables %2',
            edge.through.length,
            edge.through.join(', ')
          )}
        </p>
      )}
      {inference !== '' && <p className="jp-Colophon-note">{inference}</p>}
      {versions !== '' && <p className="jp-Colophon-note">{versions}</p>}
      {components.length > 0 && <p className="jp-Colophon-note">{components.join(', ')}</p>}
    </div>
  );
}

/** Why an edge is in the graph: its newest run, with who, when, statement and cell; or who declared it. */
function EdgeReason(props: IDetailsProps & { edge: IEdge; runs: readonly Run[] | null }): React.JSX.Element | null {
  const { edge, runs, openCell, open, trans } = props;
  const [run] = runs ?? [];
  if (edge.declared) {
    return (
      <section aria-label={trans.__('Why this edge')}>
        <h3>{trans.__('Why this edge')}</h3>
        <p>
          {trans.__('%1 declared it, without a run.', edge.reportedBy)} <RelativeTime time={edge.start} trans={trans} />
        </p>
      </section>
    );
  }
  if (!run) {
    return null;
  }
  const { source } = run.facts;
  const statements = edge.statements.filter(name => name !== '');
  return (
    <section aria-label={trans.__('Why this edge')}>
      <h3>{trans.__('Why this edge')}</h3>
      <p>
        {trans.__('%1 ran %2', run.actor, getRunName(run, trans))} · <RelativeTime time={run.start} trans={trans} />
      </p>
      {statements.length > 0 && (
        <p className="jp-Colophon-note">
          {trans._n('Statement %2', 'Statements %2', statements.length, statements.join(', '))}
        </p>
      )}
      {source !== undefined && source !== '' && <SourceText label={trans.__('Source code')} text={source} />}
      <div className="jp-Colophon-actions">
        {run.facts.notebook !== undefined && (
          <button type="button" className="jp-Colophon-button" onClick={() => openCell({ run: run.urn })}>
            {trans.__('Open cell')}
          </button>
        )}
        <button type="button" className="jp-Colophon-button" onClick={() => open(run.urn)}>
          {trans.__('Open run')}
        </button>
      </div>
    </section>
  );
}

function Runs({ selection, open, openCell, trans }: { selection: ISelection } & IDetailsProps): React.JSX.Element {
  return (
    <section>
      <h3>{trans.__('Runs in the selected time')}</h3>
      {selection.problem && <ProblemNote problem={selection.problem} trans={trans} />}
      {selection.runs ? (
        <RunList runs={selection.runs} label={trans.__('Runs')} open={open} openCell={openCell} trans={trans} />
      ) : (
        !selection.problem && <p role="status">{trans.__('Loading…')}</p>
      )}
    </section>
  );
}

/** The details of the selected node or edge. */
export function LineageDetails(props: IDetailsProps): React.JSX.Element | null {
  const { model, trans } = props;
  const { selection, options } = useModel(model);
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
        onClick={() => model.clearSelection()}
      >
        ×
      </button>
      {selection.node && <NodeHead {...props} node={selection.node} />}
      {selection.edge && <EdgeHead {...props} edge={selection.edge} />}
      {selection.edge && <EdgeReason {...props} edge={selection.edge} runs={selection.runs} />}
      {selection.impact && <Impact impact={selection.impact} open={props.open} trans={trans} />}
      <Runs {...props} selection={selection} />
      {options.columns && selection.columns.length === 0 && (
        <p className="jp-Colophon-note">{trans.__('No column lineage.')}</p>
      )}
      <Columns columns={selection.columns} trans={trans} />
    </aside>
  );
}
