import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { ICurrentNotebook } from './current-notebook';
import type { IKernel, INotebookWidget } from './notebooks';

/** The comm by which a kernel reports whether it records (kernel/recording_status.py). */
const TARGET = 'jupyter-colophon.recording';

/**
 * Whether the kernel of the current notebook records what its cells read and write.
 *
 * `none`: no notebook or kernel. `unknown`: the kernel does not report it, because the extension is not loaded there.
 * `off`: capture is disabled. `away`: the server cannot be reached from the kernel, which keeps its reports.
 * `disconnected`: the kernel knows no server.
 */
type RecordingState = 'none' | 'unknown' | 'on' | 'off' | 'away' | 'disconnected';

/** What a kernel reports. */
export interface IRecording {
  state: RecordingState;
  /** Why the server cannot be reached; empty if it can. */
  reason: string;
  /** The number of reports that the kernel keeps. */
  waiting: number;
}

const NONE: IRecording = { state: 'none', reason: '', waiting: 0 };
const STATES: readonly unknown[] = ['on', 'off', 'away', 'disconnected'];

/** Parses the message of a kernel, which may be of another version. */
function parseRecording(data: unknown): IRecording {
  const { state, reason, waiting } = (data ?? {}) as Partial<Record<keyof IRecording, unknown>>;
  return {
    state: STATES.includes(state) ? (state as RecordingState) : 'unknown',
    reason: typeof reason === 'string' ? reason : '',
    waiting: typeof waiting === 'number' ? waiting : 0
  };
}

/** Follows whether the kernel of the current notebook records. */
export class KernelRecording {
  constructor(
    private _notebook: ICurrentNotebook,
    private _findNotebook: () => INotebookWidget | undefined
  ) {
    _notebook.changed.connect(this._follow, this);
    this._follow();
  }

  get state(): IRecording {
    return this._state;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Asks a kernel again that did not answer before: the extension may have been loaded since. */
  retry(): void {
    this._refused = null;
    this._update();
  }

  dispose(): void {
    this._notebook.changed.disconnect(this._follow, this);
    this._leave();
    Signal.clearData(this);
  }

  /** Follows the session of the notebook that is current now. */
  private _follow(): void {
    const session = this._findNotebook()?.context.sessionContext;
    if (session !== this._session) {
      this._leave();
      this._session = session;
      session?.kernelChanged.connect(this._update, this);
      session?.statusChanged.connect(this._update, this);
    }
    this._update();
  }

  private _leave(): void {
    this._session?.kernelChanged.disconnect(this._update, this);
    this._session?.statusChanged.disconnect(this._update, this);
    this._session = undefined;
    this._close();
  }

  private _close(): void {
    const comm = this._comm;
    this._comm = null;
    if (comm && !comm.isDisposed) {
      comm.dispose();
    }
    this._kernel = null;
  }

  /** Opens a comm to a kernel that has started, unless it has one or has refused it. */
  private _update(): void {
    const kernel = this._session?.session?.kernel ?? null;
    if (kernel === null || kernel !== this._kernel) {
      this._close();
    }
    if (kernel === null) {
      this._setState(NONE);
      return;
    }
    // A restart ends all comms, and loads the extension again.
    if (this._comm?.isDisposed === true || kernel.status === 'restarting') {
      this._close();
      this._refused = null;
    }
    this._openIfIdle(kernel);
  }

  private _openIfIdle(kernel: IKernel): void {
    if (kernel.status === 'idle' && kernel.handleComms && this._comm === null && this._refused !== kernel) {
      this._open(kernel);
    }
  }

  private _open(kernel: IKernel): void {
    const comm = kernel.createComm(TARGET);
    this._comm = comm;
    this._kernel = kernel;
    comm.onMsg = message => {
      if (comm === this._comm) {
        this._setState(parseRecording(message.content.data));
      }
    };
    comm.onClose = () => {
      if (comm === this._comm) {
        this._close();
        this._refused = kernel;
        this._setState({ ...NONE, state: 'unknown' });
      }
    };
    comm.open();
  }

  private _setState(state: IRecording): void {
    this._state = state;
    this._changed.emit();
  }

  private _state: IRecording = NONE;
  private _changed = new Signal<this, void>(this);
  private _session: INotebookWidget['context']['sessionContext'] | undefined;
  private _kernel: IKernel | null = null;
  private _refused: IKernel | null = null;
  private _comm: ReturnType<IKernel['createComm']> | null = null;
}
