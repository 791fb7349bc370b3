import React from 'react';
import { ProblemNote } from '../../components/problem';
import { Tabs } from '../../components/tabs';
import { useModel } from '../../components/use-model';
import { useRegistry } from '../../components/use-registry';
import type { Entity } from '../../generated/api';
import { EditProblem } from './metadata/edit-problem';
import { Head } from './head';
import type { IPage, IPageProps } from './page';
import { PageContext } from './page';
import { Runs } from './runs/runs';

function PageTabs({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { model, services, trans } = page;
  const { tab } = useModel(model);
  const id = React.useId();
  const visible = useRegistry(services.tabs).filter(({ isVisible }) => isVisible?.(entity) ?? true);
  const selected = visible.find(item => item.id === tab) ?? visible[0];
  if (!selected) {
    return null;
  }
  const tabs = visible.map(item => ({ id: item.id, label: item.title, count: item.getCount?.(entity) }));
  const select = (name: string): void => void page.stopEditing().then(closed => closed && model.selectTab(name));
  return (
    <Tabs id={id} label={trans.__('Parts of the page')} tabs={tabs} selected={selected.id} select={select}>
      <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
        <selected.component entity={entity} metadata={services.metadata} />
      </React.Suspense>
    </Tabs>
  );
}

/** The body of the page of an entity. */
export function EntityBody({ page }: { page: Omit<IPage, 'getTitle'> }): React.JSX.Element {
  const { model, trans } = page;
  const { entity, type, runs, busy, problem } = useModel(model);
  const full = React.useMemo(() => {
    const titles = new Map(type?.aspects.map(spec => [spec.name, spec.title]));
    return { ...page, getTitle: (name: string) => titles.get(name) ?? name };
  }, [page, type]);
  return (
    <PageContext.Provider value={full}>
      <div className="jp-Colophon-page" aria-busy={busy}>
        <Head page={full} />
        {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
        {!entity && !problem && <p role="status">{trans.__('Loading…')}</p>}
        <EditProblem page={full} />
        {entity ? <PageTabs page={full} entity={entity} /> : runs !== null && runs.length > 0 && <Runs page={full} />}
      </div>
    </PageContext.Provider>
  );
}
