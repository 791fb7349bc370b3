import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { useModel } from '../../components/use-model';
import { getTypeLabel } from '../../components/labels';
import type { Colouring } from '../../lineage/colouring';
import { OTHER } from '../../lineage/colouring';
import { isDataType } from '../../model/urns';
import { getAgeLabel } from './labels';
import type { LineageModel } from './model';

interface ILegendProps {
  model: LineageModel;
  trans: TranslationBundle;
}

/** Returns the label of a category of a colour. */
function getCategoryLabel(name: string, colouring: Colouring, trans: TranslationBundle): string {
  if (name === OTHER) {
    return trans.__('others');
  }
  if (colouring === 'type') {
    return name === 'group' ? trans.__('group') : getTypeLabel(name, trans);
  }
  return colouring === 'freshness' ? getAgeLabel(name, trans) : name;
}

function Line(props: { kind: string; label: string }): React.JSX.Element {
  return (
    <li>
      <svg className="jp-Colophon-legendLine" data-kind={props.kind} width="28" height="12" aria-hidden="true">
        <path d="M0 6H28" />
        {props.kind === 'added' && <path d="M14 1V11" data-sign />}
        {props.kind === 'removed' && <path d="M10 2L18 10M10 10L18 2" data-sign />}
        {props.kind === 'changed' && <path d="M14 1L19 10H9Z" data-sign />}
      </svg>
      {props.label}
    </li>
  );
}

function Lines({ model, trans }: ILegendProps): React.JSX.Element {
  const { scene, comparison } = useModel(model);
  const { edges, columnEdges } = scene;
  return (
    <>
      <Line kind="plain" label={trans.__('read or written')} />
      {edges.some(({ edge }) => edge.access === 'unknown') && (
        <Line kind="unknown" label={trans.__('accessed, mode unknown')} />
      )}
      {edges.some(({ backward }) => backward) && <Line kind="cycle" label={trans.__('closes a cycle')} />}
      {columnEdges.length > 0 && (
        <>
          <Line kind="data" label={trans.__('the value flows')} />
          <Line kind="control" label={trans.__('joins, filters, groups or sorts')} />
        </>
      )}
      {comparison && (
        <>
          <Line kind="added" label={trans.__('added')} />
          <Line kind="removed" label={trans.__('removed')} />
          <Line kind="changed" label={trans.__('changed')} />
        </>
      )}
    </>
  );
}

/** What shapes, lines and colours stand for; only those in the graph. */
export function Legend({ model, trans }: ILegendProps): React.JSX.Element {
  const { scene, colours, options } = useModel(model);
  // Models have the shape of datasets.
  const types = new Set(scene.graph.nodes.map(({ type }) => (isDataType(type) ? 'dataset' : type)));
  const shapes: [string, string][] = [
    ['dataset', trans.__('data')],
    ['dataJob', trans.__('program')],
    ['group', trans.__('group of nodes')]
  ];
  return (
    <section className="jp-Colophon-legend" aria-label={trans.__('Legend')}>
      <ul>
        {shapes
          .filter(([type]) => types.has(type as 'dataset'))
          .map(([type, label]) => (
            <li key={type}>
              <span className="jp-Colophon-legendShape" data-type={type} />
              {label}
            </li>
          ))}
        <Lines model={model} trans={trans} />
        {colours.categories.map(({ name, colour, count }) => (
          <li key={name}>
            <span className="jp-Colophon-legendColour" data-colour={colour} />
            {getCategoryLabel(name, options.colouring, trans)} <span className="jp-Colophon-count">{count}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
