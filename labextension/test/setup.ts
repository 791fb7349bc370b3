// Browser features that Lumino and JupyterLab need and jsdom lacks; and an empty page for each file of tests.

import { beforeAll } from 'vitest';

beforeAll(() => {
  document.body.replaceChildren();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

class SilentObserver {
  observe(): void {
    return;
  }
  unobserve(): void {
    return;
  }
  disconnect(): void {
    return;
  }
}

const scope = globalThis as unknown as Record<string, unknown>;
scope['DragEvent'] ??= class DragEvent extends MouseEvent {};
scope['ResizeObserver'] ??= SilentObserver;
scope['requestIdleCallback'] ??= (run: () => void) => setTimeout(run);
scope['cancelIdleCallback'] ??= clearTimeout;
window.matchMedia ??= (media: string) =>
  ({
    matches: false,
    media,
    addEventListener: () => undefined,
    removeEventListener: () => undefined
  }) as unknown as MediaQueryList;
