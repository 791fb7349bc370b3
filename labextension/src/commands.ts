/** Ids of the commands of this extension. */
export namespace CommandIDs {
  export const showSearch = 'colophon:show-search';
  export const openEntity = 'colophon:open-entity';
  /** Saves the form that has the keyboard, else the one of the page in front. */
  export const saveForm = 'colophon:save-form';
  export const openRun = 'colophon:open-run';
  export const openLineage = 'colophon:open-lineage';
  export const saveInstance = 'colophon:save-instance';
  /** Offered by the editor, plugins/instance.ts, and by nobody else: `{space, schema, name?}`; a new one without name. */
  export const editInstance = 'colophon:edit-instance';
  // Those below are offered by the panel, plugins/schemaspaces.ts: what is not said they ask, or take from the panel.
  export const showSchemaspaces = 'colophon:show-schemaspaces';
  /** `{space, schema}`: leads to `editInstance`. */
  export const createInstance = 'colophon:create-instance';
  /** `{space, name}`: leads to `editInstance`, whatever the schema. */
  export const openInstance = 'colophon:open-instance';
  export const duplicateInstance = 'colophon:duplicate-instance';
  export const deleteInstance = 'colophon:delete-instance';
  export const importInstances = 'colophon:import-instances';
  export const exportInstances = 'colophon:export-instances';
  export const refreshSchemaspaces = 'colophon:refresh-schemaspaces';
  export const insertSnippet = 'colophon:insert-snippet';
  export const copySnippet = 'colophon:copy-snippet';
}

/** The translation domain. */
export const DOMAIN = 'jupyter_colophon';
