import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import type { ServiceTokensPanel } from '../../panels/service-tokens';
import { IMetadataService } from '../../tokens';
import { SinglePage } from '../application/tabs';

export const serviceTokens: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:service-tokens',
  description: 'The page of the tokens of programs.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, ILayoutRestorer, ICommandPalette],
  activate: (
    { commands, shell }: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const command = CommandIDs.showServiceTokens;
    const label = trans.__('Service Tokens');
    const page = new SinglePage<ServiceTokensPanel>(
      shell,
      { name: 'service-tokens', label, icon: metadataIcon },
      trans
    );
    const loadPanel = async (): Promise<ServiceTokensPanel> => {
      const { createActions, ServiceTokensModel, ServiceTokensPanel } = await import('../../panels/service-tokens');
      return new ServiceTokensPanel(new ServiceTokensModel(metadata), createActions(trans), trans);
    };
    commands.addCommand(command, {
      label,
      caption: trans.__('List, create, rotate and revoke the tokens by which programs use the catalog'),
      icon: args => (args['isMenu'] === true ? undefined : metadataIcon),
      describedBy: {
        args: { type: 'object', properties: { isMenu: { type: 'boolean', description: 'Whether it is in a menu' } } }
      },
      execute: () => page.show(loadPanel)
    });
    page.restore(restorer, command);
    palette?.addItem({ command, category: trans.__('Metadata') });
  }
};
