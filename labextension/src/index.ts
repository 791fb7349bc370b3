import { activity, followed, followedSearches } from './plugins/activity';
import { cells } from './plugins/cells';
import { entity } from './plugins/entity';
import { entityEdits } from './plugins/entity-edits';
import { files } from './plugins/files';
import { forms } from './plugins/forms';
import { instance } from './plugins/instance';
import { launcher } from './plugins/launcher';
import { lineage } from './plugins/lineage';
import { metadata, schemaspacesApi } from './plugins/metadata';
import { mime } from './plugins/mime';
import { pickers } from './plugins/pickers';
import { notebookData } from './plugins/notebook-data';
import { notebookSection } from './plugins/notebook-section';
import { entityTabs, lineageDecorator, searchSections } from './plugins/registries';
import { run } from './plugins/run';
import { schemaspaces } from './plugins/schemaspaces';
import { sidebar } from './plugins/sidebar';
import { starred } from './plugins/starred';
import { status } from './plugins/status';
import { vocabulary } from './plugins/vocabulary';
import { welcome } from './plugins/welcome';

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
  schemaspaces
];
