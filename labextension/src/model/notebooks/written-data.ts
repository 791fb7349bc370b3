import { shortenUrn } from '../urns';

/** How many written tables a name lists. */
const MOST_LISTED = 2;

/** The beginning of the URNs of variables of notebooks. */
const VARIABLES = 'urn:li:dataset:(urn:li:dataPlatform:notebook,';

function isVariable(urn: string): boolean {
  return urn.startsWith(VARIABLES);
}

/** Returns the last part of the name of data: the name of a table or a variable, or of a file without its folder. */
function getShortName(urn: string): string {
  const name = shortenUrn(urn);
  const separator = isVariable(urn) ? '#' : '/';
  return (
    name
      .split(separator)
      .filter(part => part !== '')
      .at(-1) ?? name
  );
}

/**
 * Returns the name of a cell that has no other: the data that it wrote, such as `→ orders`; empty if there is none.
 * Variables count only for a cell that wrote nothing else.
 */
export function formatWrittenData(urns: Iterable<string>): string {
  const written = [...urns];
  const stored = written.filter(urn => !isVariable(urn));
  const names = [...new Set((stored.length > 0 ? stored : written).map(getShortName))];
  const listed = names.slice(0, MOST_LISTED).join(', ');
  return listed === '' ? '' : `→ ${listed}${names.length > MOST_LISTED ? ', …' : ''}`;
}
