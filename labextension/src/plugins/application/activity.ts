import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import { CommandIDs, DOMAIN } from '../../commands';
import { activityIcon } from '../../icons';
import type { IChangeNotification } from '../../model/live/change-notifier';
import { ChangeNotifier } from '../../model/live/change-notifier';
import { readDisplayNames } from '../../model/display-names';
import { EntityList } from '../../model/search/entity-list';
import { LazyPanel } from '../../components/lazy-panel';
import { formatSearch, FollowedSearches } from '../../model/search/followed-searches';
import type { INewHits } from '../../model/search/search-notifier';
import { IFollowedEntities, IFollowedSearches, IMetadataService } from '../../tokens';
import { URN_ARGUMENTS, getUrn } from '../arguments';

/** How long a notification is shown, in ms; it remains in the list of notifications. */
const SHOWN_MS = 8000;
/** More new hits of a search are only counted. */
const MAX_NAMES = 3;

export const followed: JupyterFrontEndPlugin<IFollowedEntities> = {
  id: 'jupyter-colophon:followed',
  description: 'The entities that the user follows, kept in the settings.',
  autoStart: true,
  provides: IFollowedEntities,
  requires: [ISettingRegistry],
  activate: (_, registry: ISettingRegistry) => new EntityList(registry.load('jupyter-colophon:followed'), 'followed')
};

export const followedSearches: JupyterFrontEndPlugin<IFollowedSearches> = {
  id: 'jupyter-colophon:followed-searches',
  description: 'The searches that the user follows, kept in the settings.',
  autoStart: true,
  provides: IFollowedSearches,
  requires: [ISettingRegistry],
  activate: (_, registry: ISettingRegistry) => new FollowedSearches(registry.load('jupyter-colophon:followed'))
};

function formatNotification({ reason, name, actor }: IChangeNotification, trans: TranslationBundle): string {
  switch (reason) {
    case 'changed':
      return trans.__('%1 changed the metadata of %2.', actor, name);
    case 'schema-changed':
      return trans.__('The schema of %1 has changed.', name);
    case 'deleted':
      return trans.__('%1 deleted %2.', actor, name);
    case 'run-failed':
      return trans.__('A run of %1 has failed.', name);
  }
}

/** Returns what a button of a notification opens: the run that failed, or else the entity. */
function getTarget({ reason, run, urn }: IChangeNotification): string {
  return reason === 'run-failed' && run !== null ? run : urn;
}

/** Adds to a sentence what changed in the metadata or the schema. What compares values is loaded by the first change. */
async function addWhatChanged(
  sentence: string,
  { reason, changes }: IChangeNotification,
  trans: TranslationBundle
): Promise<string> {
  if (reason !== 'changed' && reason !== 'schema-changed') {
    return sentence;
  }
  const [{ addDifferences }, { listNetDifferences }] = await Promise.all([
    import('../../components/differences-sentence'),
    import('../../model/live/net-differences')
  ]);
  return addDifferences(sentence, listNetDifferences(changes), trans);
}

/** Notifies of a change; a program or another entity with a name of its own is called by it. */
async function notifyOfChange(
  metadata: IMetadataService,
  notification: IChangeNotification,
  trans: TranslationBundle
): Promise<void> {
  const { named } = notification;
  const names = await readDisplayNames(metadata, [named]).catch(() => new Map<string, string>());
  const name = names.get(named) ?? notification.name;
  const type = notification.reason === 'run-failed' ? 'warning' : 'info';
  const callback = (): void => metadata.openEntity(getTarget(notification));
  const sentence = formatNotification({ ...notification, name }, trans);
  Notification.emit(await addWhatChanged(sentence, notification, trans), type, {
    autoClose: SHOWN_MS,
    actions: [{ label: trans.__('Open'), callback }]
  });
}

/** Formats new hits: their names, and how many more there are. */
function formatNewHits({ search, hits }: INewHits, trans: TranslationBundle): string {
  const names = hits.slice(0, MAX_NAMES).map(({ displayName, name }) => displayName ?? name);
  const shown = names.join(', ');
  const listed = hits.length > names.length ? trans.__('%1 and %2 more', shown, hits.length - names.length) : shown;
  return trans._n('New hit of “%2”: %3', '%1 new hits of “%2”: %3', hits.length, formatSearch(search), listed);
}

/** Notifies of new hits of followed searches; a single hit is opened, more are shown in the search panel. */
function notifyOfNewHits(
  { commands }: JupyterFrontEnd,
  metadata: IMetadataService,
  searches: IFollowedSearches,
  trans: TranslationBundle
): void {
  const notify = (added: INewHits): void => {
    const [first, ...others] = added.hits;
    const callback = (): void =>
      first !== undefined && others.length === 0
        ? metadata.openEntity(first.urn)
        : void commands.execute(CommandIDs.showSearch, { ...added.search });
    Notification.info(formatNewHits(added, trans), {
      autoClose: SHOWN_MS,
      actions: [{ label: trans.__('Open'), callback }]
    });
  };
  // Most users follow no search: the notifier is loaded for the first one.
  const start = async (): Promise<void> => {
    if (searches.state.length > 0) {
      searches.changed.disconnect(listener);
      const { SearchNotifier } = await import('../../model/search/search-notifier');
      const notifier = new SearchNotifier(metadata, metadata.feed, searches, notify);
      window.addEventListener('pagehide', () => notifier.dispose(), { once: true });
    }
  };
  const listener = (): void => void start();
  searches.changed.connect(listener);
  listener();
}

/** Registers the command that follows an entity, or stops following it. */
function registerFollowCommand(
  { commands }: JupyterFrontEnd,
  entities: IFollowedEntities,
  trans: TranslationBundle
): void {
  commands.addCommand(CommandIDs.followEntity, {
    label: trans.__('Follow Entity'),
    caption: trans.__(
      'Get a notification when others change the entity, its schema changes, or a run that writes it fails'
    ),
    describedBy: { args: URN_ARGUMENTS },
    isEnabled: args => getUrn(args) !== '',
    isToggleable: true,
    isToggled: args => entities.has(getUrn(args)),
    execute: args => entities.toggle(getUrn(args))
  });
  entities.changed.connect(() => commands.notifyCommandChanged(CommandIDs.followEntity));
}

export const activity: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:activity',
  description: 'The panel with the latest changes, and notifications of changes of followed entities and of new hits.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [IFollowedEntities, ITranslator, ILayoutRestorer, ICommandPalette, IFollowedSearches],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    entities: IFollowedEntities | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    searches: IFollowedSearches | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const loadPanel = async (): Promise<Widget> => {
      const { ActivityModel, ActivityPanel } = await import('../../panels/activity');
      const model = new ActivityModel(metadata, metadata.feed);
      return new ActivityPanel(model, entities, metadata.openEntity, trans);
    };
    const panel = new LazyPanel(loadPanel, trans);
    panel.id = 'jp-colophon-activity';
    panel.title.icon = activityIcon;
    panel.title.caption = trans.__('Metadata activity');
    app.shell.add(panel, 'right', { rank: 850, type: 'Metadata' });
    restorer?.add(panel, panel.id);
    app.commands.addCommand(CommandIDs.showActivity, {
      label: trans.__('Show Metadata Activity'),
      caption: trans.__('Show the latest changes and runs'),
      icon: activityIcon,
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: () => app.shell.activateById(panel.id)
    });
    palette?.addItem({ command: CommandIDs.showActivity, category: trans.__('Metadata') });
    if (searches) {
      notifyOfNewHits(app, metadata, searches, trans);
    }
    if (entities) {
      registerFollowCommand(app, entities, trans);
      const notifier = new ChangeNotifier(metadata, metadata.feed, entities, notification => {
        void notifyOfChange(metadata, notification, trans);
      });
      window.addEventListener('pagehide', () => notifier.dispose(), { once: true });
    }
  }
};
