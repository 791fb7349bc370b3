import { CommandIDs } from '../../commands';
import { createSettingsPage } from './settings-page';

export const policies = createSettingsPage({
  id: 'policies',
  description: 'The page of access policies.',
  command: CommandIDs.showPolicies,
  getLabel: trans => trans.__('Access Policies'),
  getCaption: trans => trans.__('See and change who may read and write what, and find the rule that decides'),
  loadPanel: async (metadata, trans, tools) => {
    const { createActions, PoliciesModel, PoliciesPanel } = await import('../../panels/policies');
    const model = new PoliciesModel(metadata, metadata.feed);
    return new PoliciesPanel(model, createActions(metadata, trans), tools, trans);
  }
});
