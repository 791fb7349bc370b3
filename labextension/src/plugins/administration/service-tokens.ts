import { CommandIDs } from '../../commands';
import { createSettingsPage } from './settings-page';

export const serviceTokens = createSettingsPage({
  id: 'service-tokens',
  description: 'The page of the tokens of programs.',
  command: CommandIDs.showServiceTokens,
  getLabel: trans => trans.__('Service Tokens'),
  getCaption: trans => trans.__('List, create, rotate and revoke the tokens by which programs use the catalog'),
  loadPanel: async (metadata, trans) => {
    const { createActions, ServiceTokensModel, ServiceTokensPanel } = await import('../../panels/service-tokens');
    return new ServiceTokensPanel(new ServiceTokensModel(metadata), createActions(trans), trans);
  }
});
