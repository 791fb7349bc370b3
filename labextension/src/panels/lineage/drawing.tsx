import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageView } from '../../lineage/view';
import { edgeId } from '../../lineage/graph';
import { LineageView as View } from '../../lineage/view';
import { useModel } from '../../components/use-model';
import { shortUrn } from '../../model/urns';
import type { LineageModel } from './model';
import { graphWords } from './words';

interface IDrawingProps {
  model: LineageModel;
  open: (urn: string) => void;
  themeChanged: ISignal<unknown, unknown> | null;
  ready: (view: LineageView | null) => void;
  trans: TranslationBundle;
}

/** Puts the framework-free drawing into React: made once, told of every new state. */
export function Drawing(props: IDrawingProps): React.JSX.Element {
  const { model, open, themeChanged, ready, trans } = props;
  const host = React.useRef<HTMLDivElement>(null);
  const [view, setView] = React.useState<LineageView | null>(null);
  const { scene, expanded, selection } = useModel(model);

  React.useEffect(() => {
    if (!host.current) {
      return;
    }
    const made = new View(host.current, graphWords(shortUrn(model.urn), trans), {
      pickNode: urn => void model.pickNode(urn),
      pickEdge: edge => void model.pickEdge(edgeId(edge)),
      pickNothing: () => model.pickNothing(),
      open,
      expand: (urn, side) => void model.expand(urn, side)
    });
    setView(made);
    ready(made);
    return () => {
      ready(null);
      made.dispose();
    };
  }, [model, open, ready, trans]);

  React.useEffect(() => {
    // The style sheet of a theme may come a moment after its name.
    const recolour = (): void => void requestAnimationFrame(() => view?.recolour());
    themeChanged?.connect(recolour);
    return () => {
      themeChanged?.disconnect(recolour);
    };
  }, [view, themeChanged]);

  React.useEffect(() => view?.show(scene, expanded), [view, scene, expanded]);
  React.useEffect(
    () => view?.pick({ node: selection.node?.urn ?? null, edge: selection.edge ? edgeId(selection.edge) : null }),
    [view, selection]
  );
  return <div ref={host} />;
}
