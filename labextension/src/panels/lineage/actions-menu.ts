import type { TranslationBundle } from '@jupyterlab/translation';
import { getNodeName } from './labels';
import type { IMenuItem } from './menu';
import type { LineageModel } from './model';

interface IActionContext {
  model: LineageModel;
  /** Shows the timeline, and moves the focus to one of its inputs. */
  showTimeline: (input: 'asOf' | 'since') => void;
  /** Moves the focus to a choice of the toolbar. */
  focusChoice: (choice: 'colour' | 'group') => void;
  openExports: () => void;
  trans: TranslationBundle;
}

/** Creates the items of the menu that names what can be done with the graph. */
export function createActions(context: IActionContext): IMenuItem[] {
  const { model, showTimeline, focusChoice, openExports, trans } = context;
  const { selection, scene } = model.state;
  const node = selection.node ?? scene.nodes.get(model.urn)?.node;
  const ofNode = node
    ? [
        {
          label: trans.__('Find a path from %1…', getNodeName(node)),
          onClick: () => model.startPath(node)
        },
        {
          label: trans.__('List what a change of %1 affects', getNodeName(node)),
          onClick: () => void model.selectNode(node.urn).then(() => model.loadImpact())
        }
      ]
    : [];
  return [
    { label: trans.__('See the graph as of an earlier time…'), onClick: () => showTimeline('asOf') },
    { label: trans.__('Compare two times…'), onClick: () => showTimeline('since') },
    ...ofNode,
    { label: trans.__('Colour nodes by type, freshness or tag…'), onClick: () => focusChoice('colour') },
    { label: trans.__('Group by notebook, namespace or pipeline…'), onClick: () => focusChoice('group') },
    { label: trans.__('Export as a picture, data or a link…'), onClick: openExports }
  ];
}
