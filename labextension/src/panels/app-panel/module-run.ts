import type { IDisposable } from '@lumino/disposable';
import { toProblem } from '../../model/problem';
import type { CatalogProblem } from '../../model/problem';
import type { IPanelContext, IPanelModule, PanelCleanup } from '../../tokens';
import { DocumentTheme } from './theme';

/** What a run of a module needs, besides what belongs to the run itself. */
export type RunContext = Omit<IPanelContext, 'element' | 'signal' | 'theme' | 'call'> & {
  /** Calls a handler of the application until the signal is aborted. */
  call(signal: AbortSignal, ...args: Parameters<IPanelContext['call']>): Promise<unknown>;
};

/** Whether a run of a module has ended its activation, or has failed. */
type Outcome = 'active' | { importFailed: boolean; problem: CatalogProblem };

/** Reports what a module throws while it is disposed of: its tab is closed, so that only the console can show it. */
function reportCleanupError(reason: unknown): void {
  window.setTimeout(() => {
    throw reason;
  });
}

function cleanUp(cleanup: PanelCleanup): void {
  try {
    if (typeof cleanup === 'function') {
      cleanup();
    } else {
      cleanup?.dispose();
    }
  } catch (reason) {
    reportCleanupError(reason);
  }
}

/**
 * Imports the module of a panel and activates it in an element of its own below `parent`, until it is disposed of.
 *
 * Whatever the module does until then is reported as the outcome, once.
 */
export class ModuleRun implements IDisposable {
  constructor(
    private _load: () => Promise<Partial<IPanelModule>>,
    private _context: RunContext,
    parent: HTMLElement,
    private _report: (outcome: Outcome) => void
  ) {
    this._element.className = 'jp-Colophon-appPanelContent';
    parent.replaceChildren(this._element);
    void this._run();
  }

  get isDisposed(): boolean {
    return this._controller.signal.aborted;
  }

  /** Ends the run: calls are aborted, and what the module returned is called or disposed of. */
  dispose(): void {
    if (!this.isDisposed) {
      this._controller.abort();
      cleanUp(this._cleanup);
      this._cleanup = null;
      this._theme.dispose();
      this._element.remove();
    }
  }

  private async _run(): Promise<void> {
    let isImported = false;
    try {
      const module = await this._load();
      isImported = true;
      if (this.isDisposed) {
        return;
      }
      if (typeof module.activate !== 'function') {
        throw new TypeError('the module exports no function activate');
      }
      const cleanup = await module.activate(this._createContext());
      if (this.isDisposed) {
        cleanUp(cleanup);
        return;
      }
      this._cleanup = cleanup;
      this._report('active');
    } catch (reason) {
      if (!this.isDisposed) {
        this._element.replaceChildren();
        this._report({ importFailed: !isImported, problem: toProblem(reason) });
      }
    }
  }

  private _createContext(): IPanelContext {
    const { signal } = this._controller;
    return {
      ...this._context,
      element: this._element,
      signal,
      theme: this._theme,
      call: (...args) => this._context.call(signal, ...args)
    };
  }

  private _element = document.createElement('div');
  private _controller = new AbortController();
  private _theme = new DocumentTheme();
  private _cleanup: PanelCleanup = null;
}
