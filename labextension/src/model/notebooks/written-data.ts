import { shortenUrn } from '../urns';

/** How many written tables a name lists. */
const MOST_LISTED = 2;

/** Returns the last part of the name of data: the name of a table, or of a file without its folder. */
function getShortName(urn: string): string {
  const name = shortenUrn(urn);
  return (
    name
      .split('/')
      .filter(part => part !== '')
      .at(-1) ?? name
  );
}

/** Returns the name of a cell that has no other: the data that it wrote, such as `→ orders`; empty if there is none. */
export function formatWrittenData(urns: Iterable<string>): string {
  const names = [...new Set([...urns].map(getShortName))];
  const listed = names.slice(0, MOST_LISTED).join(', ');
  return listed === '' ? '' : `→ ${listed}${names.length > MOST_LISTED ? ', …' : ''}`;
}
