import type { TranslationBundle } from '@jupyterlab/translation';
import type { ConnectionObstacle, IStageDraft, StagePlugin } from '../../model/pipelines/pipeline-draft';

/** Returns the label of a type of stages. */
export function getStageTypeLabel(type: string, trans: TranslationBundle): string {
  switch (type) {
    case 'source':
      return trans.__('Source');
    case 'transform':
      return trans.__('Transform');
    case 'aggregator':
      return trans.__('Aggregator');
    case 'joiner':
      return trans.__('Joiner');
    case 'sink':
      return trans.__('Sink');
    case 'action':
      return trans.__('Action');
    default:
      return type;
  }
}

/** Returns the type and the plugin of a stage, for its card. */
export function getStageKind(stage: IStageDraft, plugins: readonly StagePlugin[], trans: TranslationBundle): string {
  const plugin = plugins.find(({ type, name }) => type === stage.type && name === stage.plugin);
  return `${getStageTypeLabel(stage.type, trans)} · ${plugin?.title ?? stage.plugin}`;
}

/** Returns why a connection cannot be added. */
export function getObstacleLabel(obstacle: ConnectionObstacle, trans: TranslationBundle): string {
  switch (obstacle) {
    case 'same':
      return trans.__('A stage cannot be connected to itself.');
    case 'exists':
      return trans.__('This connection already exists.');
    case 'cycle':
      return trans.__('This connection would close a cycle.');
    case 'no-input':
      return trans.__('This stage accepts no input.');
    case 'full':
      return trans.__('This stage accepts no further input.');
  }
}
