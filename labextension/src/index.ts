import { api, schemaspacesApi } from './plugins/api';
import { changes } from './plugins/changes';
import { entity } from './plugins/entity';
import { instance } from './plugins/instance';
import { lineage } from './plugins/lineage';
import { mime } from './plugins/mime';
import { run } from './plugins/run';
import { schemaspaces } from './plugins/schemaspaces';
import { sidebar } from './plugins/sidebar';

export { ICatalog, IChangeFeed, ISchemaspaces } from './tokens';

export default [api, schemaspacesApi, changes, sidebar, entity, instance, lineage, run, mime, schemaspaces];
