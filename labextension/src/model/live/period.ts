/** The periods by which the activity is filtered; `since` begins on a date. */
export type Period = 'all' | 'today' | 'week' | 'month' | 'since';

const DAYS: Partial<Record<Period, number>> = { week: 7, month: 30 };

/**
 * Returns when a period begins, in the user's time zone, as ISO 8601; null if it has no beginning.
 *
 * @param date - The date of `since`, such as `2026-11-26`.
 */
export function getPeriodStart(period: Period, date: string, now: Date): string | null {
  const days = DAYS[period];
  if (days !== undefined) {
    return new Date(now.getTime() - days * 86_400_000).toISOString();
  }
  if (period === 'today') {
    return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
  }
  const start = new Date(`${date}T00:00`);
  return period === 'since' && !Number.isNaN(start.getTime()) ? start.toISOString() : null;
}
