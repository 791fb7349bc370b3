import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import React from 'react';
import { DOMAIN } from '../../commands';
import { WelcomeModel } from '../../model/welcome';
import type { ISearchSectionProps } from '../../tokens';
import { IMetadataService, ISearchSectionRegistry } from '../../tokens';

export const welcome: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:welcome',
  description: 'The welcome in the search panel: three steps with the first table of the user.',
  autoStart: true,
  requires: [IMetadataService, ISearchSectionRegistry, ISettingRegistry],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    metadata: IMetadataService,
    sections: ISearchSectionRegistry,
    registry: ISettingRegistry,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const add = (settings: ISettingRegistry.ISettings): void => {
      const model = new WelcomeModel(metadata, metadata.feed);
      const finish = (): void => {
        section.dispose();
        model.dispose();
        void settings.set('finished', true);
      };
      const component = React.lazy(async () => {
        const { Welcome } = await import('../../panels/welcome');
        return {
          default: ({ search }: ISearchSectionProps) =>
            React.createElement(Welcome, { model, search, openLineage: metadata.openLineage, finish, trans })
        };
      });
      const section = sections.add({ id: welcome.id, rank: 50, title: trans.__('Welcome'), component });
    };
    void registry.load(welcome.id).then(settings => {
      if (settings.get('finished').composite !== true) {
        add(settings);
      }
    });
  }
};
