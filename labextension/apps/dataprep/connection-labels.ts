import type { TranslationBundle } from '@jupyterlab/translation';
import type { ConnectionMember, ConnectionType } from './connection-fields';

/** Returns the label of a field. */
export function getFieldLabel(name: ConnectionMember, trans: TranslationBundle): string {
  switch (name) {
    case 'folder':
      return trans.__('Folder');
    case 'format':
      return trans.__('Format');
    case 'header':
      return trans.__('First line');
    case 'delimiter':
      return trans.__('Delimiter of CSV');
    case 'encoding':
      return trans.__('Encoding of texts');
    case 'url':
      return trans.__('JDBC URL');
    case 'user':
      return trans.__('User');
    case 'passwordSecret':
      return trans.__('Secret with the password');
    case 'servers':
      return trans.__('Servers (host:port, separated by commas)');
    case 'security':
      return trans.__('Security');
    case 'mechanism':
      return trans.__('Mechanism');
  }
}

/** Returns an example of what is entered in a field; undefined for one that needs none. */
export function getExample(name: ConnectionMember, trans: TranslationBundle): string | undefined {
  switch (name) {
    case 'folder':
      return trans.__('Absolute, or in a permitted folder, such as %1', 'data/2026');
    case 'url':
      return trans.__('For example: %1', 'jdbc:postgresql://db.example:5432/shop');
    case 'servers':
      return trans.__('For example: %1', 'kafka.example:9092');
    default:
      return undefined;
  }
}

/** Returns the label of a format; their names are not translated. */
function getFormatLabel(format: string, trans: TranslationBundle): string {
  switch (format) {
    case '':
      return trans.__('That of the suffix of each file');
    case 'jsonl':
      return trans.__('JSON, one object per line');
    case 'parquet':
      return 'Parquet';
    case 'text':
      return trans.__('Text');
    default:
      return format.toUpperCase();
  }
}

/** Returns the label of a delimiter. */
function getDelimiterLabel(delimiter: string, trans: TranslationBundle): string {
  switch (delimiter) {
    case ';':
      return trans.__('Semicolon');
    case '\t':
      return trans.__('Tab');
    case '|':
      return trans.__('Vertical bar');
    default:
      return trans.__('Comma');
  }
}

/** Returns the label of a value of a field. */
export function getChoiceLabel(name: ConnectionMember, value: string, trans: TranslationBundle): string {
  switch (name) {
    case 'format':
      return getFormatLabel(value, trans);
    case 'delimiter':
      return getDelimiterLabel(value, trans);
    case 'header':
      return value === 'false' ? trans.__('Values') : trans.__('Names of the columns');
    case 'encoding':
      return value || 'utf-8';
    default:
      return value;
  }
}

/** Returns what a type connects to. */
export function getTypeLabel(type: ConnectionType, trans: TranslationBundle): string {
  switch (type) {
    case 'file':
      return trans.__('Folder of files');
    case 'jdbc':
      return trans.__('Database');
    case 'kafka':
      return trans.__('Kafka');
  }
}
