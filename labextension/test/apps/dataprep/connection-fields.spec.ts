import { describe, expect, it } from 'vitest';
import { buildMembers, findRefusedField, listFields, readValues } from '../../../apps/dataprep/connection-fields';
import type { IConnection } from '../../../apps/dataprep/documents';

function listNames(...parameters: Parameters<typeof listFields>): string[] {
  return listFields(...parameters).map(({ name }) => name);
}

describe('the fields of a connection', () => {
  it('are those that have a meaning with the values of the others', () => {
    expect(listNames('kafka', {})).toEqual(['servers', 'format', 'security']);
    expect(listNames('kafka', { security: 'SASL_SSL' })).toContain('passwordSecret');
    expect(listNames('jdbc', { url: 'jdbc:sqlite:/data/shop.db' })).toEqual(['url']);
    expect(listNames('file', { format: 'json' })).toEqual(['folder', 'format', 'encoding']);
  });

  it('make a document without empty and meaningless members', () => {
    const values = { servers: 'kafka:9092', security: 'PLAINTEXT', user: 'ada', passwordSecret: '' };
    expect(buildMembers('kafka', values)).toEqual({
      type: 'kafka',
      servers: 'kafka:9092',
      security: 'PLAINTEXT'
    });
  });

  it('contain what is stored, and return it unchanged', () => {
    const connection: IConnection = {
      name: 'files',
      type: 'file',
      folder: '/data',
      format: 'csv',
      delimiter: '\t',
      header: false
    };
    expect({ name: 'files', ...buildMembers('file', readValues(connection)) }).toEqual(connection);
  });
});

describe('a refusal of a connection', () => {
  it('is shown at the field that it is about', () => {
    const invalid = 'is not a valid name of a connection: use at most 64 letters';
    expect(findRefusedField(invalid, 'file')).toBe('name');
    expect(findRefusedField("'/etc' is not a folder inside a permitted one (X)", 'file')).toBe('folder');
    expect(findRefusedField('the host 10.0.0.1:9092 is not a permitted one (X)', 'kafka')).toBe('servers');
    expect(findRefusedField('the member url must be a URL, without user and password', 'jdbc')).toBe('url');
    expect(findRefusedField('SQLite has no users: omit the members user and passwordSecret', 'jdbc')).toBe('user');
    expect(findRefusedField('the value of the secret warehouse is not available', 'jdbc')).toBe('passwordSecret');
    expect(findRefusedField('PostgreSQL refuses it', 'jdbc')).toBeNull();
  });
});
