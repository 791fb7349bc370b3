import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';

/** Creates a link to a page of the server. */
export function createLink(page: string, parameters: Record<string, string>): string {
  const link = new URL(URLExt.join(PageConfig.getBaseUrl(), page), window.location.href);
  Object.entries(parameters).forEach(([name, value]) => link.searchParams.set(name, value));
  return link.href;
}

/**
 * Opens the target of the link that started the application, if the link has the first of the parameters. They are
 * removed from the address, because the target is opened once.
 */
export async function followLink<Name extends string>(
  { restored }: JupyterFrontEnd,
  names: readonly [Name, ...Name[]],
  open: (parameters: Record<Name, string>) => Promise<unknown>
): Promise<void> {
  const { searchParams } = new URL(window.location.href);
  if (!searchParams.has(names[0])) {
    return;
  }
  await restored;
  const parameters = names.map(name => [name, searchParams.get(name) ?? ''] as const);
  await open(Object.fromEntries(parameters) as Record<Name, string>);
  const current = new URL(window.location.href);
  names.forEach(name => current.searchParams.delete(name));
  window.history.replaceState(window.history.state, '', current);
}
