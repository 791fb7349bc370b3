import { api, schemaspacesApi } from './plugins/api';
import { changes } from './plugins/changes';
import { entity } from './plugins/entity';
import { forms } from './plugins/forms';
import { instance } from './plugins/instance';
import { lineage } from './plugins/lineage';
import { mime } from './plugins/mime';
import { run } from './plugins/run';
import { schemaspaces } from './plugins/schemaspaces';
import { sidebar } from './plugins/sidebar';
import { starred } from './plugins/starred';

export { ICatalog, IChangeFeed, IFormTools, ISchemaspaces, IStarredEntities } from './tokens';

export default [api, schemaspacesApi, changes, starred, forms, sidebar, entity, instance, lineage, run, mime, schemaspaces];
