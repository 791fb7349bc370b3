const CONTEXT = '/v2/contexts/{context}';

export const CONNECTIONS = `${CONTEXT}/connections`;
export const WORKSPACES = `${CONTEXT}/workspaces`;
export const DIRECTIVES = `${CONTEXT}/directives`;
export const SECRETS = `${CONTEXT}/secrets`;

/** Returns the path of a connection. */
export function getConnectionPath(name: string): string {
  return `${CONNECTIONS}/${encodeURIComponent(name)}`;
}

/** Returns the path of a workspace. */
export function getWorkspacePath(id: string): string {
  return `${WORKSPACES}/${encodeURIComponent(id)}`;
}
