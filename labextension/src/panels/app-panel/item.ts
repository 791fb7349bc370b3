/** Names a panel of an application. */
export interface IPanelName {
  app: string;
  id: string;
}

/** Returns the name of a panel as the argument of the command that opens it. */
export function formatItem({ app, id }: IPanelName): string {
  return `${app}/${id}`;
}

/** Reads the argument of the command. */
export function parseItem(item: string): IPanelName {
  const [app = '', id = ''] = item.split('/');
  return { app, id };
}
