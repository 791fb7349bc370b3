/** A directive that is offered for each column. */
export interface IColumnDirective {
  name: 'trim' | 'drop' | 'uppercase' | 'lowercase' | 'filter-empty-or-null' | 'set-type integer' | 'set-type double';
  line: string;
}

const NAMES: readonly IColumnDirective['name'][] = [
  'trim',
  'uppercase',
  'lowercase',
  'set-type integer',
  'set-type double',
  'filter-empty-or-null',
  'drop'
];

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' };

/** Returns a column as an argument of a directive. */
function quoteColumn(column: string): string {
  return /^[^\s\p{Cc},;:'"]+$/u.test(column)
    ? `:${column}`
    : `:'${column.replace(/[\t\n\r'\\]/g, each => ESCAPES[each]!)}'`;
}

/** Returns the directives that are offered for a column. */
export function listColumnDirectives(column: string): IColumnDirective[] {
  return NAMES.map(name => {
    const [directive, ...rest] = name.split(' ');
    return { name, line: [directive, quoteColumn(column), ...rest].join(' ') };
  });
}
