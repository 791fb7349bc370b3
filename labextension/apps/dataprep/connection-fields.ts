/** The types of connections. */
export const TYPES = ['file', 'jdbc', 'kafka'] as const;
export type ConnectionType = (typeof TYPES)[number];

/** A member of a connection, in addition to its name, type and description. */
export interface IConnectionField {
  name: 'folder' | 'url' | 'user' | 'passwordSecret' | 'servers' | 'security' | 'mechanism';
  isRequired?: boolean;
  /** The values to choose from; by default, any text. */
  choices?: readonly string[];
}

/** The members of each type. */
export const FIELDS: Readonly<Record<ConnectionType, readonly IConnectionField[]>> = {
  file: [{ name: 'folder', isRequired: true }],
  jdbc: [{ name: 'url', isRequired: true }, { name: 'user' }, { name: 'passwordSecret' }],
  kafka: [
    { name: 'servers', isRequired: true },
    { name: 'security', choices: ['', 'PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] },
    { name: 'mechanism', choices: ['', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] },
    { name: 'user' },
    { name: 'passwordSecret' }
  ]
};
