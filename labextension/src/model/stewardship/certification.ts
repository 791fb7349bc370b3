import type { Descriptor } from '../../generated/api';

/** The aspect that certifies an entity. */
export const CERTIFICATION_ASPECT = 'certification';

const DAY_MS = 86_400_000;
/** A new certification is valid for a year by default. */
const YEAR_MS = 365 * DAY_MS;

/** Who certified an entity, until when, and what was checked. */
export interface ICertification {
  /** The name of the user or team. */
  by: string;
  urn: string | null;
  /** The last day (UTC); null if the certification does not expire. */
  until: string | null;
  note: string;
}

/** Returns the certification among the descriptors of an entity; null if there is none. */
export function findCertification(descriptors: readonly Descriptor[]): ICertification | null {
  const found = descriptors.find(({ kind, column }) => kind === 'certification' && column === null);
  return found === undefined
    ? null
    : { by: found.name, urn: found.urn, until: found.text === 'never' ? null : found.text, note: found.detail };
}

/** Whether the last day of a certification has passed. */
export function isExpired(until: string | null, now: number): boolean {
  return until !== null && Date.parse(until) + DAY_MS <= now;
}

/** Formats a day in the language of the user. */
export function formatDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { timeZone: 'UTC' });
}

/** Returns the last day that the form of a certification suggests. */
export function suggestLastDay(now: number): string {
  return new Date(now + YEAR_MS).toISOString().slice(0, 10);
}
