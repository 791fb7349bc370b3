import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { Clipboard, IThemeManager, Notification } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs, DOMAIN } from '../commands';
import { lineageIcon } from '../icons';
import { createLink, followLink } from '../links';
import { shortenUrn } from '../model/urns';
import { getLastPart } from '../components/labels';
import { getStartPage } from '../notebook/application-page';
import type { ILineageActions, LineagePanel } from '../panels/lineage';
import { ILineageDecorator, IMetadataService } from '../tokens';
import { LINEAGE_OPTIONS, URN_ARGUMENTS } from './arguments';
import { registerTabs } from './application/tabs';

const DEFAULT_LEVELS = 1;

/** The parameters of a link to a view: the URN, and how its lineage is shown. */
const [LINK_URN, LINK_VIEW] = ['colophon-lineage', 'colophon-view'] as const;

const ARGUMENTS = {
  ...URN_ARGUMENTS,
  properties: {
    ...URN_ARGUMENTS.properties,
    ...LINEAGE_OPTIONS,
    view: { type: 'string', description: 'The options of a copied link, such as `levels=2&columns=shown`' }
  }
};

/** Creates a link that opens the application with a view of the lineage of an entity. */
function createViewLink(urn: string, view: string): string {
  return createLink(getStartPage(), { [LINK_URN]: urn, [LINK_VIEW]: view });
}

/** Copies a text, and notifies the user. */
function copyText(text: string, trans: TranslationBundle): void {
  Clipboard.copyToSystem(text);
  Notification.success(trans.__('Copied to the clipboard'), { autoClose: 2000 });
}

/** Returns a function that reads the current setting of the initial number of levels. */
function readLevels(registry: ISettingRegistry | null): () => number {
  let levels = DEFAULT_LEVELS;
  void registry?.load('jupyter-colophon:lineage').then(settings => {
    const applySettings = (): void => {
      const value = settings.get('levels').composite;
      levels = typeof value === 'number' ? value : DEFAULT_LEVELS;
    };
    settings.changed.connect(applySettings);
    applySettings();
  });
  return () => levels;
}

export const lineage: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:lineage',
  description: 'Lineage graphs in the main area.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, ILayoutRestorer, IThemeManager, ISettingRegistry, ILineageDecorator],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    themes: IThemeManager | null,
    registry: ISettingRegistry | null,
    decorator: ILineageDecorator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const levels = readLevels(registry);
    const getActions = (): ILineageActions => ({
      openEntity: urn => metadata.openEntity(urn),
      openLineage: urn => metadata.openLineage(urn),
      openCell: place => metadata.openCell(place),
      copy: text => copyText(text, trans),
      createLink: createViewLink,
      decorator
    });
    const kind = {
      namespace: 'colophon-lineage',
      type: 'Lineage',
      command: CommandIDs.openLineage,
      label: trans.__('Open Lineage Graph'),
      caption: trans.__('Upstream and downstream lineage'),
      icon: lineageIcon,
      arguments: ARGUMENTS,
      getTitle: (urn: string) => {
        const name = shortenUrn(urn);
        return { label: getLastPart(name), caption: trans.__('Lineage of %1', name) };
      },
      loadPanel: async (urn: string) => {
        const { Layouter, LineageModel, LineagePanel: Panel } = await import('../panels/lineage');
        const model = new LineageModel(metadata, metadata.feed, new Layouter(), urn, levels());
        return new Panel(model, getActions(), themes?.themeChanged ?? null, trans);
      },
      applyArguments: (panel: LineagePanel, args: ReadonlyPartialJSONObject) => {
        void panel.model.applyArguments(args);
      },
      restoring: {
        getArguments: ({ model }: LineagePanel) => ({ view: model.view }),
        getChanged: ({ model }: LineagePanel) => model.changed
      }
    };
    registerTabs(app, restorer, kind, trans);
    void followLink(app, [LINK_URN, LINK_VIEW], ({ [LINK_URN]: urn, [LINK_VIEW]: view }) =>
      app.commands.execute(CommandIDs.openLineage, { urn, view })
    );
  }
};
