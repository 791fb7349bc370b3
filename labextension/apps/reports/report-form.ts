import type { GroupBy, IReportDefinition, Measure, Status } from './report';

/** Intervals that end now; `custom` is one between two times. */
export const INTERVALS = ['24h', '7d', '4w', '13w', 'custom'] as const;

/** What the user has entered. Lists are texts with commas, and times are local ones as inputs have them. */
export interface IReportForm {
  name: string;
  interval: string;
  from: string;
  to: string;
  namespaces: string;
  programs: string;
  types: string;
  users: string;
  statuses: readonly Status[];
  groupBy: readonly GroupBy[];
  sort: Measure;
  schedule: string;
}

/** The members that are texts. */
export type TextName = Exclude<keyof IReportForm, 'statuses' | 'groupBy' | 'sort'>;

export const NEW_FORM: IReportForm = {
  ...{ name: '', interval: '7d', from: '', to: '', namespaces: '', programs: '', types: '', users: '' },
  ...{ statuses: [], groupBy: ['program', 'namespace'], sort: 'runs', schedule: '' }
};

const LISTS = ['namespaces', 'programs', 'types', 'users'] as const;

function splitList(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
}

/** Returns a local time as an ISO 8601 one in UTC; the text itself if it is not a time, which the server refuses. */
function toUtc(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}

/** Returns a time as an input of the type `datetime-local` has it. */
function toLocal(utc: string): string {
  const time = new Date(utc);
  time.setMinutes(time.getMinutes() - time.getTimezoneOffset());
  return time.toISOString().slice(0, 16);
}

/** Returns the definition that was entered. */
export function buildDefinition(form: IReportForm): IReportDefinition {
  const filters: IReportDefinition['filters'] = {};
  for (const name of LISTS) {
    const values = splitList(form[name]);
    if (values.length > 0) {
      filters[name] = values;
    }
  }
  if (form.statuses.length > 0) {
    filters.statuses = [...form.statuses];
  }
  return {
    name: form.name.trim(),
    interval: form.interval === 'custom' ? { from: toUtc(form.from), to: toUtc(form.to) } : { last: form.interval },
    filters,
    groupBy: [...form.groupBy],
    sort: form.sort,
    schedule: form.schedule.trim()
  };
}

/** Returns the form of a definition. */
export function buildForm({ name, interval, filters, groupBy, sort, schedule }: IReportDefinition): IReportForm {
  const lists = LISTS.map(list => [list, (filters[list] ?? []).join(', ')]);
  return {
    ...NEW_FORM,
    ...('last' in interval
      ? { interval: interval.last }
      : { interval: 'custom', from: toLocal(interval.from), to: toLocal(interval.to) }),
    ...(Object.fromEntries(lists) as Pick<IReportForm, (typeof LISTS)[number]>),
    ...{ name, groupBy, sort, schedule, statuses: (filters.statuses ?? []) as Status[] }
  };
}
