import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { Clipboard, Dialog, ICommandPalette, Notification, WidgetTracker, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import type { IServiceTokenActions, ServiceTokensPanel } from '../../panels/service-tokens';
import { IMetadataService } from '../../tokens';
import { PanelTab, activateTab, addTab } from '../application/tabs';

/** For how long the earlier token can be accepted after a rotation, in seconds. */
const OVERLAP = 3600;

function createActions(trans: TranslationBundle): IServiceTokenActions {
  return {
    copy: token => {
      Clipboard.copyToSystem(token);
      Notification.success(trans.__('Copied to the clipboard'), { autoClose: 2000 });
    },
    confirmRotation: async name => {
      const { button, isChecked } = await showDialog({
        title: trans.__('Rotate the service token %1?', name),
        body: trans.__('A new token with the same rights replaces it. Programs need the new one.'),
        checkbox: { label: trans.__('Accept the earlier token for one more hour'), checked: true },
        buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Rotate') })]
      });
      return button.accept ? (isChecked === true ? OVERLAP : 0) : null;
    },
    confirmRevocation: async name => {
      const { button } = await showDialog({
        title: trans.__('Revoke the service token %1?', name),
        body: trans.__('Programs that use it are disconnected within a second. This cannot be undone.'),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Revoke') })]
      });
      return button.accept;
    }
  };
}

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
    const tracker = new WidgetTracker<PanelTab<ServiceTokensPanel>>({ namespace: 'colophon-service-tokens' });
    const openTab = (): PanelTab<ServiceTokensPanel> => {
      const loadPanel = async (): Promise<ServiceTokensPanel> => {
        const panels = await import('../../panels/service-tokens');
        return new panels.ServiceTokensPanel(new panels.ServiceTokensModel(metadata), createActions(trans), trans);
      };
      const label = trans.__('Service Tokens');
      const tab = new PanelTab({ label, caption: label, icon: metadataIcon }, loadPanel, trans);
      tab.id = 'jp-colophon-service-tokens-page';
      addTab(shell, tab, 'Metadata');
      void tracker.add(tab);
      return tab;
    };
    commands.addCommand(command, {
      label: trans.__('Service Tokens'),
      caption: trans.__('List, create, rotate and revoke the tokens by which programs use the catalog'),
      icon: args => (args['isMenu'] === true ? undefined : metadataIcon),
      describedBy: {
        args: { type: 'object', properties: { isMenu: { type: 'boolean', description: 'Whether it is in a menu' } } }
      },
      execute: () => {
        const tab = tracker.find(() => true) ?? openTab();
        activateTab(shell, tab);
        return tab;
      }
    });
    void restorer?.restore(tracker, { command, name: () => 'service-tokens' });
    palette?.addItem({ command, category: trans.__('Metadata') });
  }
};
