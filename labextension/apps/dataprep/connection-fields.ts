import type { IConnection } from './documents';

/** The types of connections. */
export const TYPES = ['file', 'jdbc', 'kafka'] as const;
export type ConnectionType = (typeof TYPES)[number];

/** The members of connections, in addition to name, type and description. */
export type ConnectionMember =
  | 'folder'
  | 'format'
  | 'header'
  | 'delimiter'
  | 'encoding'
  | 'url'
  | 'user'
  | 'passwordSecret'
  | 'servers'
  | 'security'
  | 'mechanism';

/** What the fields of a form contain; empty for a member that is not set. */
export type FieldValues = Readonly<Partial<Record<ConnectionMember, string>>>;

/** A field of the form of a connection. */
export interface IConnectionField {
  name: ConnectionMember;
  isRequired?: boolean;
  /** The values to choose from, of which the first is the default; without them, any text. */
  choices?: readonly string[];
  /** Whether the field has a meaning with the values of the others; by default, it has. */
  isVisible?(values: FieldValues): boolean;
}

const needsLogin = ({ security = '' }: FieldValues): boolean => security.startsWith('SASL');
const isDelimited = ({ format = '' }: FieldValues): boolean => ['', 'csv', 'tsv'].includes(format);

/** The fields of each type. */
const FIELDS: Readonly<Record<ConnectionType, readonly IConnectionField[]>> = {
  file: [
    { name: 'folder', isRequired: true },
    { name: 'format', choices: ['', 'csv', 'tsv', 'json', 'jsonl', 'parquet', 'text'] },
    { name: 'delimiter', choices: ['', ';', '\t', '|'], isVisible: ({ format = '' }) => ['', 'csv'].includes(format) },
    { name: 'header', choices: ['', 'false'], isVisible: isDelimited },
    {
      name: 'encoding',
      choices: ['', 'utf-16', 'latin-1', 'cp1252'],
      isVisible: ({ format }) => format !== 'parquet'
    }
  ],
  jdbc: [
    { name: 'url', isRequired: true },
    { name: 'user', isVisible: ({ url = '' }) => !url.startsWith('jdbc:sqlite:') },
    { name: 'passwordSecret', isVisible: ({ url = '' }) => !url.startsWith('jdbc:sqlite:') }
  ],
  kafka: [
    { name: 'servers', isRequired: true },
    { name: 'format', choices: ['json', 'csv', 'text'] },
    { name: 'security', choices: ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] },
    { name: 'mechanism', choices: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], isVisible: needsLogin },
    { name: 'user', isRequired: true, isVisible: needsLogin },
    { name: 'passwordSecret', isRequired: true, isVisible: needsLogin }
  ]
};

/** Returns the fields of a type that have a meaning with these values. */
export function listFields(type: ConnectionType, values: FieldValues): IConnectionField[] {
  return FIELDS[type].filter(({ isVisible }) => isVisible?.(values) ?? true);
}

/** Returns what the fields of a stored connection contain. */
export function readValues(connection: IConnection): FieldValues {
  const members = connection as unknown as Readonly<Record<string, unknown>>;
  const names = FIELDS[connection.type].map(({ name }) => name);
  return Object.fromEntries(names.filter(name => name in members).map(name => [name, String(members[name])]));
}

/** Returns the members that a form describes: those of visible fields that are not empty. */
export function buildMembers(type: ConnectionType, values: FieldValues): Omit<IConnection, 'name'> {
  const members = listFields(type, values).flatMap(field => {
    const value = values[field.name] ?? '';
    return value === '' ? [] : [[field.name, field.name === 'header' ? value === 'true' : value]];
  });
  return { type, ...(Object.fromEntries(members) as Partial<IConnection>) };
}

/** Returns the field that a refusal of the server is about; null if that is not known. */
export function findRefusedField(refusal: string, type: ConnectionType): ConnectionMember | 'name' | null {
  if (refusal.includes('name of a connection')) {
    return 'name';
  }
  if (/\bsecret\b/.test(refusal)) {
    return 'passwordSecret';
  }
  const [, member] = /\bmembers? (\w+)/.exec(refusal) ?? [];
  const field = FIELDS[type].find(({ name }) => name === member);
  if (field !== undefined) {
    return field.name;
  }
  // What the operator does not permit: the folder, or the host in the first field.
  return /\bpermitted\b/.test(refusal) ? FIELDS[type][0]!.name : null;
}
