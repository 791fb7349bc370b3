/** A duration as a number of units. */
export interface IDuration {
  count: number;
  unit: DurationUnit;
}

export type DurationUnit = 'minutes' | 'hours' | 'days';

const MINUTES: Record<DurationUnit, number> = { days: 24 * 60, hours: 60, minutes: 1 };

const WEEK_MINUTES = 7 * MINUTES.days;

const ISO_8601 = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/;

/** Reads a duration of ISO 8601 without years, months and seconds, in its greatest whole unit; null for others. */
export function parseDuration(text: string): IDuration | null {
  const [, ...parts] = ISO_8601.exec(text) ?? [];
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = parts.map(part => Number((part as string | undefined) ?? 0));
  const total = weeks * WEEK_MINUTES + days * MINUTES.days + hours * MINUTES.hours + minutes;
  const units = Object.keys(MINUTES) as DurationUnit[];
  const unit = units.find(name => total % MINUTES[name] === 0);
  return total === 0 || unit === undefined ? null : { count: total / MINUTES[unit], unit };
}

/** Writes a duration in the format of ISO 8601. */
export function formatIsoDuration({ count, unit }: IDuration): string {
  return { minutes: `PT${count}M`, hours: `PT${count}H`, days: `P${count}D` }[unit];
}
