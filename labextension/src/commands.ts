/** Ids of the commands of this extension. */
export namespace CommandIDs {
  /** `{query?, filters?}`: opens the search panel, and searches. */
  export const showSearch = 'colophon:show-search';
  /** `{tab?}`: shows all keys and tags, or the glossary terms, domains or owners. */
  export const showVocabulary = 'colophon:show-vocabulary';
  /** `{urns}`: opens a page that edits the tags and the owner of several entities. */
  export const editEntities = 'colophon:edit-entities';
  /** `{tag, urn?}`: adds a tag to an entity; without a URN, it asks for the entity. */
  export const addTag = 'colophon:add-tag';
  /** `{urn}`: shows what depends on an entity, and deletes it if the user confirms. */
  export const deleteEntity = 'colophon:delete-entity';
  export const restoreEntity = 'colophon:restore-entity';
  export const openEntity = 'colophon:open-entity';
  /** Saves the focused form, or the form of the current page. */
  export const saveForm = 'colophon:save-form';
  /** `{urn, library?}`: inserts code that loads the data of an entity into the active notebook. */
  export const insertLoadCode = 'colophon:insert-load-code';
  /** `{urn}`: copies the `%metadata` commands of an entity. */
  export const copyMagic = 'colophon:copy-magic';
  export const openRun = 'colophon:open-run';
  /** `{path?, cell?, run?}`, at least a path or a run: opens the notebook at a cell. */
  export const openCell = 'colophon:open-cell';
  /** `{urn, label?}`: an item of the menus of notebooks and cells, which opens the page of data. */
  export const openNotebookData = 'colophon:open-notebook-data';
  /** `{path?}`: runs the stale cells of an open notebook, by default of the current one. */
  export const runStaleCells = 'colophon:run-stale-cells';
  export const openLineage = 'colophon:open-lineage';
  /** Asks for an entity, and opens its lineage graph. */
  export const pickLineage = 'colophon:pick-lineage';
  /** Asks for an entity, and opens its page. */
  export const pickEntity = 'colophon:pick-entity';
  /** `{path?}`: opens the page of a file or notebook, by default of the selected one in the file browser. */
  export const openFileMetadata = 'colophon:open-file-metadata';
  /** `{path?}`: opens the lineage graph of a file or notebook, by default of the selected one in the file browser. */
  export const openFileLineage = 'colophon:open-file-lineage';
  /** Explains why changes are not received; if they are, opens the search panel. */
  export const showStatus = 'colophon:show-status';
  export const saveInstance = 'colophon:save-instance';
  /**
   * Registered only by the instance editor (plugins/instance.ts): `{space, schema, name?}`; without name, a new
   * instance.
   */
  export const editInstance = 'colophon:edit-instance';
  // The following commands are registered by plugins/schemaspaces.ts. Missing arguments are taken from the panel or
  // asked for.
  export const showSchemaspaces = 'colophon:show-schemaspaces';
  /** `{space, schema}`: opens a new instance with `editInstance`. */
  export const createInstance = 'colophon:create-instance';
  /** `{space, name}`: opens an instance with `editInstance`, whatever its schema. */
  export const openInstance = 'colophon:open-instance';
  export const duplicateInstance = 'colophon:duplicate-instance';
  export const deleteInstance = 'colophon:delete-instance';
  export const importInstances = 'colophon:import-instances';
  export const exportInstances = 'colophon:export-instances';
  export const refreshSchemaspaces = 'colophon:refresh-schemaspaces';
  export const insertSnippet = 'colophon:insert-snippet';
  /** `{code, language?, title?}`: inserts code at the cursor, or into a new cell. */
  export const insertCode = 'colophon:insert-code';
  export const copySnippet = 'colophon:copy-snippet';
  /** `{item?, label?, icon?}`: shows the page of applications, or a panel of one: `application/panel`. */
  export const showApplications = 'colophon:show-applications';
  /** Shows the requests that are assigned to the user, and those that the user made. */
  export const showInbox = 'colophon:show-inbox';
  export const showActivity = 'colophon:show-activity';
  /** `{urn}`: follows an entity, or stops following it. */
  export const followEntity = 'colophon:follow-entity';
}

/** The translation domain. */
export const DOMAIN = 'jupyter_colophon';
