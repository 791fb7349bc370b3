import { Notification } from '@jupyterlab/apputils';

/** How long a warning is shown, in ms. */
const WARNING_MS = 15_000;

// Without a time, JupyterLab adds a notification to its list without showing it; Notebook 7 does not have this list.

/** Shows an error until the user closes it. */
export function notifyError(...lines: readonly string[]): void {
  Notification.error(lines.filter(line => line !== '').join('\n'), { autoClose: false });
}

/** Shows a warning for some time. */
export function notifyWarning(...lines: readonly string[]): void {
  Notification.warning(lines.filter(line => line !== '').join('\n'), { autoClose: WARNING_MS });
}
