import { activity, followed, followedSearches } from './plugins/application/activity';
import { cells } from './plugins/notebooks/cells';
import { entity } from './plugins/entities/entity';
import { entityEdits } from './plugins/entities/entity-edits';
import { files } from './plugins/application/files';
import { forms } from './plugins/instances/forms';
import { inbox } from './plugins/application/inbox';
import { instance } from './plugins/instances/instance';
import { launcher } from './plugins/application/launcher';
import { lineage } from './plugins/lineage';
import { metadata, schemaspacesApi } from './plugins/metadata';
import { mime } from './plugins/notebooks/mime';
import { settingsPages } from './plugins/administration/pages';
import { pickers } from './plugins/entities/pickers';
import { notebookData } from './plugins/notebooks/notebook-data';
import { notebookSection } from './plugins/notebooks/notebook-section';
import { entityTabs, lineageDecorator, searchSections } from './plugins/registries';
import { run } from './plugins/run';
import { schemaspaces } from './plugins/instances/schemaspaces';
import { sidebar } from './plugins/application/sidebar';
import { starred } from './plugins/entities/starred';
import { status } from './plugins/application/status';
import { vocabulary } from './plugins/entities/vocabulary';
import { welcome } from './plugins/application/welcome';

export type { Change, Entity, Run } from './generated/api';
export * from './tokens';

export default [
  metadata,
  schemaspacesApi,
  searchSections,
  entityTabs,
  lineageDecorator,
  starred,
  followed,
  followedSearches,
  activity,
  inbox,
  forms,
  sidebar,
  notebookSection,
  notebookData,
  welcome,
  entity,
  entityEdits,
  vocabulary,
  instance,
  lineage,
  run,
  cells,
  pickers,
  launcher,
  files,
  status,
  mime,
  schemaspaces,
  ...settingsPages
];
