import type { Entity } from '../../generated/api';
import type { ISnippet } from '../instances/snippet';

/** The library that loads the data. */
export type Library = 'spark' | 'pandas';

/** Formats of files by their suffix. */
const FORMATS: Readonly<Record<string, string>> = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'json',
  parquet: 'parquet',
  orc: 'orc',
  avro: 'avro',
  txt: 'text'
};

/** Functions of pandas that read a format. */
const READERS: Readonly<Record<string, string>> = {
  csv: 'read_csv',
  json: 'read_json',
  parquet: 'read_parquet',
  orc: 'read_orc'
};

/** Options of a format, without which Spark would misread most files. */
const OPTIONS: Readonly<Record<string, string>> = {
  csv: '.option("header", True).option("inferSchema", True)'
};

/** Platforms whose datasets are files; their names are paths or keys. */
const SCHEMES: Readonly<Record<string, string>> = {
  file: '',
  s3: 's3a://',
  gcs: 'gs://',
  abs: 'abfss://',
  hdfs: 'hdfs://'
};

const DATASET_URN = /^urn:li:dataset:\(urn:li:dataPlatform:([^,()]+),([^,()]+),[^,()]+\)$/;

interface IDataset {
  platform: string;
  name: string;
}

function parseDataset(urn: string): IDataset | null {
  const [, platform, name] = DATASET_URN.exec(urn) ?? [];
  return platform === undefined || name === undefined ? null : { platform, name: decodeURIComponent(name) };
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** Returns a variable for a dataset: the last part of its name, as an identifier. */
function getVariable(name: string): string {
  const last = name.split(/[./]/).filter(part => part !== '' && !(part.toLowerCase() in FORMATS));
  const identifier = (last.at(-1) ?? '').replace(/\W+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z_]/.test(identifier) ? identifier : `data${identifier === '' ? '' : `_${identifier}`}`;
}

/** Returns the format of a dataset: as recorded, else from the suffix of its name; undefined if it is unknown. */
function getFormat(entity: Pick<Entity, 'aspects'>, name: string): string | undefined {
  const { properties }: { properties?: Record<string, unknown> } = entity.aspects['technicalMetadata']?.value ?? {};
  const recorded = properties?.['format'];
  const suffix = /\.(\w+)(?:\.(?:gz|bz2|zst))?$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return typeof recorded === 'string' && recorded !== '' ? recorded.toLowerCase() : FORMATS[suffix];
}

function loadWithSpark(dataset: IDataset, format: string | undefined): string {
  const { platform, name } = dataset;
  if (!(platform in SCHEMES)) {
    return `spark.table(${quote(name)})`;
  }
  const reader = format === undefined ? 'spark.read' : `spark.read.format(${quote(format)})`;
  const path = `${SCHEMES[platform] ?? ''}${name}`;
  return `${reader}${OPTIONS[format ?? ''] ?? ''}.load(${quote(path)})`;
}

/** Platforms of tables that Spark finds by their name. */
const TABLE_PLATFORMS = new Set(['spark', 'hive', 'iceberg', 'delta-lake', 'glue']);

/** Returns the code that loads a dataset into a notebook; null if there is none for its platform. */
export function createLoadCode(entity: Pick<Entity, 'urn' | 'name' | 'aspects'>, library: Library): ISnippet | null {
  const dataset = parseDataset(entity.urn);
  if (dataset === null || !(dataset.platform in SCHEMES || TABLE_PLATFORMS.has(dataset.platform))) {
    return null;
  }
  const { platform, name } = dataset;
  const format = getFormat(entity, name);
  const variable = getVariable(name);
  const snippet = { title: entity.name, language: 'python' };
  if (library === 'spark') {
    return { ...snippet, code: `${variable} = ${loadWithSpark(dataset, format)}` };
  }
  const reader = READERS[format ?? ''];
  return platform === 'file' && reader !== undefined
    ? { ...snippet, code: `import pandas as pd\n\n${variable} = pd.${reader}(${quote(name)})` }
    : null;
}

/** Quotes an argument of `%metadata` if it contains more than one word. */
function quoteArgument(argument: string): string {
  return /^[\w=.,:/@+-]+$/.test(argument) ? argument : `"${argument.replace(/["\\]/g, '\\$&')}"`;
}

/** Returns the `%metadata` commands that give an entity its user metadata; null for entities without a short name. */
export function createMagic(entity: Pick<Entity, 'urn' | 'aspects'>): string | null {
  const dataset = parseDataset(entity.urn);
  if (dataset === null || !['spark', 'file'].includes(dataset.platform)) {
    return null;
  }
  const value: { properties?: Record<string, string>; tags?: string[] } =
    entity.aspects['businessMetadata']?.value ?? {};
  const name = quoteArgument(dataset.name);
  const pairs = Object.entries(value.properties ?? {})
    .filter(([, text]) => !text.includes('\n'))
    .map(([key, text]) => quoteArgument(`${key}=${text}`));
  const tags = value.tags ?? [];
  const commands = [
    pairs.length > 0 ? `%metadata set ${name} ${pairs.join(' ')}` : '',
    tags.length > 0 ? `%metadata tag ${name} ${tags.join(' ')}` : ''
  ].filter(command => command !== '');
  return commands.length > 0 ? commands.join('\n') : `%metadata show ${name}`;
}
