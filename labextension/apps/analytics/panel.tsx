import React from 'react';
import type { IPanelContext } from '../../src/tokens';
import { CallStatus } from '../call-status';
import { mount } from '../mount';
import { usePanelModel } from '../use-panel-model';
import { DeletionNote } from './controls';
import { ExperimentList } from './experiment-list';
import { ExperimentPage } from './experiment-page';
import { AnalyticsModel } from './model';
import styles from './panel.css';
import type { IViewProps } from './view';

/** The panel: the list of experiments, or the open one. */
function Analytics(props: IViewProps): React.JSX.Element {
  const { model, trans } = props;
  const calls = usePanelModel(model);
  const { experiment, notice } = calls;
  return (
    <div className="jp-Analytics" aria-busy={calls.busy}>
      <CallStatus calls={calls} message={notice} trans={trans} />
      <DeletionNote {...props} />
      {experiment === null ? <ExperimentList {...props} /> : <ExperimentPage {...props} experiment={experiment} />}
    </div>
  );
}

export async function activate(context: IPanelContext): Promise<() => void> {
  const { metadata } = context;
  const model = new AnalyticsModel(context, context.translator.load('jupyter-colophon'));
  const unmount = mount(context, trans => <Analytics model={model} metadata={metadata} trans={trans} />, styles);
  await Promise.all([model.refresh(), model.checkDeletion()]);
  return unmount;
}
