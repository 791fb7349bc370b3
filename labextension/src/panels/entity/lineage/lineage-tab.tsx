import React from 'react';
import { useModel } from '../../../components/use-model';
import type { Lineage } from '../../../generated/api';
import type { LineageView } from '../../../lineage/view';
import { LineagePicture, NoLineage } from './lineage-preview';
import type { IPageProps } from '../page';

/** Number of neighbours on a side of the lists. */
const MAX_SHOWN = 50;

/** The graph as in outputs of notebooks. The viewer is loaded when it is first shown. */
function Graph({ page, lineage }: IPageProps & { lineage: Lineage }): React.JSX.Element {
  const host = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    const { actions, services, trans } = page;
    const { themeChanged } = services;
    const { openEntity, openLineage } = actions;
    const element = host.current;
    let isClosed = false;
    let view: LineageView | null = null;
    // The style sheet of a theme may be loaded after its name is set.
    const refreshColours = (): void => void requestAnimationFrame(() => view?.refreshColours());
    themeChanged?.connect(refreshColours);
    void import('../../../mime/drawing').then(({ drawLineage }) => {
      if (!isClosed && element) {
        view = drawLineage(element, lineage, { trans, themeChanged, openEntity, openLineage });
      }
    });
    return () => {
      isClosed = true;
      themeChanged?.disconnect(refreshColours);
      view?.dispose();
      element?.replaceChildren();
    };
  }, [page, lineage]);
  return <div className="jp-Colophon-output" ref={host} />;
}

/** The lineage one level each way as a graph, and as lists. */
export function LineageTab({ page }: IPageProps): React.JSX.Element {
  const { model, trans } = page;
  const { lineage } = useModel(model);
  if (lineage === null || lineage.edges.length === 0) {
    return <NoLineage page={page} />;
  }
  return (
    <section aria-label={trans.__('Lineage')}>
      <Graph page={page} lineage={lineage} />
      <details className="jp-Colophon-lineageLists">
        <summary>{trans.__('As lists')}</summary>
        <LineagePicture page={page} limit={MAX_SHOWN} />
      </details>
    </section>
  );
}
