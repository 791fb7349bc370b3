/** A column, parsed from its URN. */
interface IColumn {
  /** The URN of the table. */
  table: string;
  path: string;
}

/** The URN of a column contains that of its table; commas and parentheses in names are escaped. */
const COLUMN_URN = /^urn:li:schemaField:\((urn:li:.+),([^,()]+)\)$/;

/** Entities with lineage: data (tables, files, streams) and programs. */
const LINEAGE_URN = /^urn:li:(?:dataset|mlModel|dataJob):/;

/** Programs of notebooks and of their cells; a path may contain `#`, the id of a cell does not. */
const NOTEBOOK_URN = /^urn:li:dataJob:\(urn:li:dataFlow:\(colophon,notebook,[^,()]*\),(cells|notebooks)\.([^,()]+)\)$/;

/** A notebook or one of its cells, parsed from the URN of its program. */
interface INotebookPlace {
  /** The path of the notebook, relative to the server's root. */
  path: string;
  /** The id of the cell; undefined for the notebook itself. */
  cell: string | undefined;
}

/** The schemaspace and the name of an instance. */
const INSTANCE_URN = /^urn:li:instance:\(([^,()]+),([^,()]+)\)$/;

/** The type and the pairs of a custom entity. */
const CUSTOM_URN = /^urn:li:custom:\(([^,()]+),([^()]+)\)$/;

/** An instance of a schemaspace, parsed from its URN. */
interface IInstancePlace {
  space: string;
  name: string;
}

/** A custom entity, parsed from its URN. */
interface ICustomEntity {
  type: string;
  /** The pairs that identify it, the most general first. */
  pairs: readonly (readonly [key: string, value: string])[];
}

/** Parses the URN of an instance; null for other URNs. */
export function parseInstanceUrn(urn: string): IInstancePlace | null {
  const [, space, name] = INSTANCE_URN.exec(urn) ?? [];
  return space === undefined || name === undefined ? null : { space: decodePart(space), name: decodePart(name) };
}

/** Parses the URN of a custom entity; null for other URNs. */
export function parseCustomUrn(urn: string): ICustomEntity | null {
  const [, type, keys] = CUSTOM_URN.exec(urn) ?? [];
  if (type === undefined || keys === undefined) {
    return null;
  }
  const pairs = keys.split(',').map(pair => {
    const split = pair.indexOf('=');
    return [decodePart(pair.slice(0, split)), decodePart(pair.slice(split + 1))] as const;
  });
  return { type: decodePart(type), pairs };
}

/** Whether an entity has lineage. */
export function hasLineage(urn: string): boolean {
  return LINEAGE_URN.test(urn);
}

/** Whether entities of a type are data in lineage: what programs read and write. */
export function isDataType(type: string | undefined): boolean {
  return type === 'dataset' || type === 'mlModel';
}

/** Parses the URN of a column; null for other URNs. */
export function parseColumnUrn(urn: string): IColumn | null {
  const [, table, path] = COLUMN_URN.exec(urn) ?? [];
  return table === undefined || path === undefined ? null : { table, path: decodePart(path) };
}

/** Parses the URN of the program of a notebook or a cell; null for other URNs. */
export function parseNotebookUrn(urn: string): INotebookPlace | null {
  const [, type, part = ''] = NOTEBOOK_URN.exec(urn) ?? [];
  const name = decodePart(part);
  const split = name.lastIndexOf('#');
  if (type === 'notebooks') {
    return { path: name, cell: undefined };
  }
  return type === undefined || split < 1 ? null : { path: name.slice(0, split), cell: name.slice(split + 1) };
}

/** Creates the URN of a column. */
export function createColumnUrn(table: string, path: string): string {
  // `encodeURIComponent` does not escape parentheses.
  const part = path.replace(
    /[%,()\u241f]/g,
    character => ({ '(': '%28', ')': '%29' })[character] ?? encodeURIComponent(character)
  );
  return `urn:li:schemaField:(${table},${part})`;
}

/** Returns the plain path of a column, without the types and versions in paths of DataHub. */
export function getColumnPath(path: string): string {
  return path.startsWith('[') ? path.replace(/\[[^\]]*\]\.?/g, '') || path : path;
}

/** The type of a program, in front of its name. */
const PROGRAM = /^(?:cells|notebooks|[a-z]+)\.(?=.)/;

/** Returns the name of a program without its type. */
function getProgramName(urn: string): string {
  const job = urn.slice(0, -1).split(',').at(-1) ?? urn;
  return decodePart(job.replace(PROGRAM, ''));
}

/** Shortens a URN to the part that users recognise. */
export function shortenUrn(urn: string): string {
  if (urn.startsWith('urn:li:dataJob:')) {
    return getProgramName(urn);
  }
  const column = parseColumnUrn(urn);
  const inner = /\((?:.*?,)?([^,]+),[^,]*\)$/.exec(urn)?.[1] ?? urn.split(':').at(-1) ?? urn;
  return column === null ? decodePart(inner) : `${shortenUrn(column.table)}.${column.path}`;
}

/** An entity as its URN describes it. */
interface IDescribedUrn {
  urn: string;
  type: string;
  name: string;
  namespace: string;
  platform: string | null;
}

const TYPE = /^urn:li:([A-Za-z]+):/;
const PLATFORM = /^urn:li:(?:dataset|mlModel):\(urn:li:dataPlatform:([^,()]+),/;
/** A table: its namespace and its name; a path or an address is one name. */
const TABLE = /^(\w+)\.([^/:]+)$/;
/** Describes an entity by its URN, for lists that are shown without a request. */
export function describeUrn(urn: string): IDescribedUrn {
  const type = TYPE.exec(urn)?.[1] ?? '';
  const entity = { urn, type, namespace: '', platform: PLATFORM.exec(urn)?.[1] ?? null };
  if (type === 'dataJob') {
    return { ...entity, name: getProgramName(urn) };
  }
  const short = parseColumnUrn(urn)?.path ?? shortenUrn(urn);
  const [, namespace, table] = (isDataType(type) && TABLE.exec(short)) || [];
  return { ...entity, name: table ?? short, namespace: namespace ?? '' };
}

/** Decodes a part of a URN; a part that is not valid stays as it is. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Creates the URN of the program of a pipeline's runs. */
export function createPipelineProgramUrn(namespace: string, pipeline: string): string {
  return `urn:li:dataJob:(urn:li:dataFlow:(colophon,${pipeline},${namespace}),workflows.${pipeline})`;
}
