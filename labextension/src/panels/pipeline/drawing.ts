import type { ICurve } from '../../lineage/curves';
import { createCurves, getMiddle } from '../../lineage/curves';
import type { IPoint } from '../../lineage/layout';
import { computeLayout } from '../../lineage/layout';
import type { IConnectionDraft, IStageDraft } from '../../model/pipelines/pipeline-draft';

/** The height of the card of a stage, in pixels. */
export const CARD_HEIGHT = 68;

/** A connection with its curves, and the location of its button. */
export interface IDrawnConnection extends IConnectionDraft {
  curves: readonly ICurve[];
  middle: IPoint;
}

/** The locations of stages and connections, in pixels. */
export interface IPipelineDrawing {
  /** The upper left corner of each stage. */
  stages: readonly IPoint[];
  connections: readonly IDrawnConnection[];
  width: number;
  height: number;
}

/** Computes the locations of stages and of the connections whose stages exist. */
export function drawPipeline(
  stages: readonly IStageDraft[],
  connections: readonly IConnectionDraft[]
): IPipelineDrawing {
  const getIndex = (name: string): number => stages.findIndex(stage => stage.name === name);
  const drawn = connections.filter(({ from, to }) => getIndex(from) >= 0 && getIndex(to) >= 0);
  const edges = drawn.map(({ from, to }) => [getIndex(from), getIndex(to)] as const);
  const layout = computeLayout({ count: stages.length, edges, heights: stages.map(() => CARD_HEIGHT) });
  return {
    stages: layout.nodes,
    connections: drawn.map((connection, index) => {
      const curves = createCurves(layout.routes[index]!, layout.backward[index]!);
      return { ...connection, curves, middle: getMiddle(curves) };
    }),
    width: layout.width,
    height: Math.max(layout.height, CARD_HEIGHT)
  };
}
