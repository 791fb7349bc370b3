import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageView } from '../../lineage/view';
import { getEdgeId } from '../../lineage/graph';
import { LineageView as View } from '../../lineage/view';
import { useModel } from '../../components/use-model';
import { shortenUrn } from '../../model/urns';
import type { ILineageDecoration } from '../../tokens';
import { createAppearance } from './appearance';
import type { LineageModel } from './model';
import { createLabels } from './labels';

interface IDrawingProps {
  model: LineageModel;
  open: (urn: string) => void;
  decorations: readonly ILineageDecoration[];
  themeChanged: ISignal<unknown, unknown> | null;
  onReady: (view: LineageView | null) => void;
  trans: TranslationBundle;
}

const NO_MARKS = new Map<string, never>();
const NO_NEWS = new Set<string>();

/** Integrates the framework-independent drawing with React. */
export function Drawing(props: IDrawingProps): React.JSX.Element {
  const { model, open, decorations, themeChanged, onReady, trans } = props;
  const host = React.useRef<HTMLDivElement>(null);
  const [view, setView] = React.useState<LineageView | null>(null);
  const { scene, expanded, selection, colours, tags, quality, options, column, path, comparison, news } =
    useModel(model);

  React.useEffect(() => {
    if (!host.current) {
      return;
    }
    const lineageView = new View(host.current, createLabels(shortenUrn(model.urn), trans), {
      selectNode: urn => void model.selectNode(urn),
      selectEdge: edge => void model.selectEdge(getEdgeId(edge)),
      clearSelection: () => model.clearSelection(),
      open,
      expand: (urn, side) => void model.expand(urn, side),
      collapse: (urn, side) => void model.collapse(urn, side),
      openGroup: urn => void model.openGroup(urn),
      selectColumn: column => void model.selectColumn(column),
      toggleColumns: urn => void model.toggleColumns(urn),
      showMoreColumns: urn => void model.showMoreColumns(urn)
    });
    setView(lineageView);
    onReady(lineageView);
    return () => {
      onReady(null);
      lineageView.dispose();
    };
  }, [model, open, onReady, trans]);

  React.useEffect(() => {
    // The style sheet of a theme may be loaded after its name is set.
    const refreshColours = (): void => void requestAnimationFrame(() => view?.refreshColours());
    themeChanged?.connect(refreshColours);
    return () => {
      themeChanged?.disconnect(refreshColours);
    };
  }, [view, themeChanged]);

  const appearance = React.useMemo(
    () => createAppearance({ ...model.state, scene, colours, tags, quality, options }, decorations, Date.now(), trans),
    [model, scene, colours, tags, quality, options, decorations, trans]
  );
  React.useEffect(() => view?.show(scene, expanded, appearance), [view, scene, expanded, appearance]);
  React.useEffect(
    () =>
      view?.highlight({
        node: selection.node?.urn ?? null,
        edge: selection.edge ? getEdgeId(selection.edge) : null,
        column,
        path: path && path.count > 0 ? path.ids : null,
        marks: comparison?.marks ?? NO_MARKS,
        news: news?.ids ?? NO_NEWS
      }),
    [view, selection, column, path, comparison, news, scene]
  );
  return <div ref={host} />;
}
